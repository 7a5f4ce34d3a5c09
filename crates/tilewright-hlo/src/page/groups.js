// What the buffers of a program are summed up by: themselves, or where in the program they come from.
//
// The report's page, what a notebook shows and the explorer all have this script.

/**
 * A buffer at some time, as the report has it. What is not known is empty.
 * @typedef {object} Buffer
 * @property {string} name
 * @property {string} text
 * @property {number} bytes
 * @property {string} op
 * @property {string} source the line of the program
 * @property {string} layer
 */

/** @typedef {{ from: number, to: number, buffer: Buffer }} Life from the first write to the last read, both included */

/** @typedef {'buffer' | 'source' | 'op' | 'layer'} By */

/**
 * @typedef {object} Group
 * @property {string} key
 * @property {string} label what people read
 * @property {Life[]} lives
 * @property {number} most the most bytes it has at once
 * @property {number} atPeak the bytes it has at the peak
 */

/** @type {[By, string][]} */
export const WAYS = [
  ['buffer', 'buffer'],
  ['source', 'source line'],
  ['op', 'op'],
  ['layer', 'layer'],
];

/** What stands for an empty key. */
export const NOWHERE = { buffer: 'no name', source: 'no source line', op: 'no op', layer: 'no layer' };

/**
 * @param {Buffer} buffer
 * @param {By} by
 */
export const key = (buffer, by) => (by === 'buffer' ? buffer.name : buffer[by]);

/**
 * Lives that belong together, those with most at the peak first.
 * @param {Life[]} lives
 * @param {By} by
 * @param {number} peak the time of the peak
 * @returns {Group[]}
 */
export function grouped(lives, by, peak) {
  /** @type {Map<string, Life[]>} */
  const all = new Map();
  for (const life of lives) {
    const of = key(life.buffer, by);
    const known = all.get(of);
    if (known) known.push(life);
    else all.set(of, [life]);
  }
  const groups = [...all].map(([of, its]) => ({
    key: of,
    label: of === '' ? NOWHERE[by] : of,
    lives: its,
    most: Math.max(...sums(its).map(([, bytes]) => bytes)),
    atPeak: at(its, peak),
  }));
  return groups.sort((a, b) => b.atPeak - a.atPeak || b.most - a.most);
}

/**
 * The bytes of those that are alive at a time.
 * @param {Life[]} lives
 * @param {number} time
 */
export const at = (lives, time) => lives.reduce((sum, { from, to, buffer }) => sum + (from <= time && time <= to ? buffer.bytes : 0), 0);

/**
 * When the sum of lives changes, and what it is from then on.
 * @param {Life[]} lives
 * @returns {[number, number][]}
 */
export function sums(lives) {
  /** @type {Map<number, number>} */
  const changes = new Map();
  for (const { from, to, buffer } of lives) {
    changes.set(from, (changes.get(from) ?? 0) + buffer.bytes);
    changes.set(to + 1, (changes.get(to + 1) ?? 0) - buffer.bytes);
  }
  let sum = 0;
  return [...changes].sort(([a], [b]) => a - b).map(([time, change]) => [time, (sum += change)]);
}
