// Rows as buffers, rows summed up, and what rows can be chosen by.

import { WAYS, grouped } from './groups.js';

/** @typedef {import('./groups.js').Buffer} Buffer */
/** @typedef {import('./groups.js').By} By */
/** @typedef {import('./table.js').Column} Column */
/** @typedef {import('./table.js').Row} Row */
/** @typedef {import('./texts.js').Texts} Texts */

/** @typedef {{ columns: Column[], rows: Row[], keys: Map<Row, string> }} Sums rows that sum up others, and by which keys */

/** So many choices a list has: those with most bytes. */
const CHOICES = 400;

/**
 * @param {Column[]} columns
 * @param {string} role
 */
const columnOf = (columns, role) => columns.findIndex((column) => column.role === role);

/**
 * A row of a table of buffers.
 * @param {Texts} texts
 * @param {Column[]} columns
 * @param {Row} row
 * @returns {Buffer}
 */
export function bufferOf(texts, columns, row) {
  const value = (/** @type {string} */ role) => row[columnOf(columns, role)];
  const roles = ['name', 'array', 'op', 'source', 'layer'];
  const [name = '', text = '', op = '', source = '', layer = ''] = roles.map((role) => texts.at(value(role)));
  return { name, text, op, source, layer, bytes: value('bytes') ?? 0 };
}

/**
 * Rows summed up, those with most bytes first.
 * @param {Texts} texts
 * @param {Column[]} columns
 * @param {Row[]} rows
 * @param {By} by
 * @returns {Sums}
 */
export function summed(texts, columns, rows, by) {
  const padding = columnOf(columns, 'padding');
  /** @type {Map<Buffer, number>} */
  const pads = new Map();
  const lives = rows.map((row) => {
    const buffer = bufferOf(texts, columns, row);
    pads.set(buffer, row[padding] ?? 0);
    return { from: 0, to: 0, buffer };
  });
  /** @type {Map<Row, string>} */
  const keys = new Map();
  for (const group of grouped(lives, by, 0)) {
    const padded = group.lives.reduce((sum, { buffer }) => sum + (pads.get(buffer) ?? 0), 0);
    const largest = group.lives.reduce((most, life) => (life.buffer.bytes > most.buffer.bytes ? life : most));
    keys.set([group.atPeak, padded, null, group.lives.length, texts.number(group.label), texts.number(largest.buffer.name)], group.key);
  }
  return { columns: columnsBy(WAYS.find(([way]) => way === by)?.[1] ?? by), rows: [...keys.keys()], keys };
}

/**
 * @param {string} label
 * @returns {Column[]}
 */
const columnsBy = (label) => [
  { name: 'Bytes', kind: 'size', role: 'bytes', shown: true },
  { name: 'Padding', kind: 'size', role: 'padding', shown: true },
  { name: 'Data and padding', kind: 'bar', role: '', shown: true },
  { name: 'Buffers', kind: 'number', role: '', shown: true },
  { name: `By ${label}`, kind: 'text', role: 'name', shown: true },
  { name: 'Largest', kind: 'text', role: '', shown: true },
];

/**
 * The values of the columns of a role, those with most bytes first.
 * @param {Texts} texts
 * @param {{ columns: Column[], rows: Row[], space: string, numbersOf: (column: number) => Uint32Array }[]} tables
 * @param {string} role
 */
export function choicesOf(texts, tables, role) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  const add = (/** @type {string} */ value, /** @type {number} */ bytes) => sums.set(value, (sums.get(value) ?? 0) + bytes);
  for (const { columns, rows, space, numbersOf } of tables) {
    const [column, bytes] = [columnOf(columns, role), columnOf(columns, 'bytes')];
    if (column < 0) {
      if (role === 'space' && space !== '') add(space, 0);
      continue;
    }
    /** @type {Map<number, number>} by the number of the text, of which there are few */
    const its = new Map();
    numbersOf(column).forEach((text, number) => its.set(text, (its.get(text) ?? 0) + (rows[number]?.[bytes] ?? 0)));
    for (const [text, sum] of its) add(texts.at(text), sum);
  }
  return [...sums].sort(([, a], [, b]) => b - a).map(([value]) => value).slice(0, CHOICES);
}
