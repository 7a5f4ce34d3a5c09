// The timeline of a memory space: its sum over the schedule, stacked by whose it is, and a lane for each of
// those. Where one points, it says who is alive.

import { at, grouped, sums } from './groups.js';

/** @typedef {import('./groups.js').By} By */
/** @typedef {import('./groups.js').Buffer} Buffer */
/** @typedef {import('./groups.js').Group} Group */
/** @typedef {import('./groups.js').Life} Life */

/**
 * @typedef {object} Timeline
 * @property {string} space
 * @property {number} n how many instructions run: times are below this
 * @property {[number, number][]} steps when the sum changes, and what it is from then on
 * @property {number} peak the time of the peak
 * @property {string} at the instruction that runs then
 * @property {Life[]} lives the largest buffers, the largest first
 */

/**
 * @typedef {object} Options
 * @property {(bytes: number) => string} size
 * @property {(group: Group, by: By) => void} onPick what is done where a lane or a name is pressed
 */

/** @typedef {{ show: (by: By, matches: (buffer: Buffer) => boolean) => void, light: (name: string) => boolean }} Chart */

const SVG = 'http://www.w3.org/2000/svg';

/** The picture in units of its own, which the browser scales: as wide as it has columns. */
const WIDTH = 1000;
const HEIGHT = 200;

/** So many groups have a colour. */
export const COLORS = 8;

/** So many lanes there are at first, and more with each click. */
const LANES = 16;

/** So many are named where one points. */
const NAMED = 12;

/**
 * An element with attributes, and what is in it. A text is always a text, and never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/**
 * A name that can be pressed. Where there is no room for all of it, a path is cut at its beginning.
 * @param {string} text
 * @param {boolean} isPath
 */
export function pressed(text, isPath) {
  const attributes = { type: 'button', class: isPath ? 'tw-name tw-path' : 'tw-name' };
  return element('button', attributes, isPath ? element('bdi', {}, text) : text);
}

/**
 * An element of a picture.
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {Element[]} children
 */
export function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/**
 * Draws a timeline into an element of the class `tw-chart`, in the place of what is there.
 * @param {HTMLElement} root
 * @param {Timeline} timeline
 * @param {Options} options
 * @returns {Chart}
 */
export function chart(root, timeline, { size, onPick }) {
  const { n, steps, peak, lives } = timeline;
  const columns = columnsOf(timeline);
  const top = Math.max(1, ...columns.map(({ sum }) => sum));
  const plot = drawn('svg', {
    class: 'tw-plot', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', tabindex: '0', role: 'slider',
    'aria-label': `${timeline.space} over the schedule`, 'aria-valuemin': '0', 'aria-valuemax': String(n - 1),
  });
  const here = element('div', { class: 'tw-here', 'aria-hidden': 'true' });
  const lanes = element('div', { class: 'tw-lanes' });
  const axis = element('div', { class: 'tw-axis', 'aria-hidden': 'true' }, element('span', {}, size(top)), element('span', {}, '0'));
  const now = element('div', { class: 'tw-now', role: 'group', 'aria-label': `alive in ${timeline.space}` });
  root.replaceChildren(element('div', { class: 'tw-plots' }, axis, plot, lanes, here), now);

  /** @type {By} */
  let by = 'buffer';
  /** @type {Group[]} */
  let groups = [];
  /** @type {Group | undefined} */
  let lit;
  let nLanes = LANES;
  let time = peak;
  let isPinned = false;

  /** @param {number} moment */
  function point(moment) {
    time = Math.max(0, Math.min(n - 1, Math.round(moment)));
    here.style.setProperty('--tw-at', String((time + 0.5) / n));
    here.hidden = time === peak && !isPinned;
    const sum = sumAt(steps, time);
    const alive = groups.map((group) => ({ group, bytes: at(group.lives, time) })).filter(({ bytes }) => bytes > 0);
    alive.sort((a, b) => b.bytes - a.bytes);
    const named = alive.slice(0, NAMED);
    const unnamed = sum - named.reduce((all, { bytes }) => all + bytes, 0);
    const where = time === peak ? `the peak, at ${timeline.at}` : `instruction ${time} of ${n}`;
    const words = `${size(sum)}: ${where}`;
    plot.setAttribute('aria-valuenow', String(time));
    plot.setAttribute('aria-valuetext', words);
    const rows = named.map(({ group, bytes }) => {
      const name = pressed(group.label, isPath());
      name.title = said(group);
      name.addEventListener('click', () => onPick(group, by));
      return element('li', {}, swatch(group), element('span', { class: 'tw-size' }, size(bytes)), name);
    });
    if (unnamed > 0) rows.push(element('li', { class: 'tw-soft' }, swatch(undefined), element('span', { class: 'tw-size' }, size(unnamed)), 'in others'));
    now.replaceChildren(
      element('p', { title: words }, element('b', {}, size(sum)), ` ${where}`),
      element('ul', {}, ...rows),
      element('p', { class: 'tw-soft' }, isPinned ? 'kept until you click again' : 'click to keep a moment'),
    );
  }

  const isPath = () => by === 'source' || by === 'layer';

  /** @param {Group | undefined} group */
  function swatch(group) {
    return element('i', { class: `tw-swatch ${group ? colorOf(groups.indexOf(group)) : 'tw-others'}` });
  }

  /** @param {Group} group */
  const said = (group) => (by === 'buffer' ? whole(group) : `${group.label}\n${counted(group.lives.length)}, at most ${size(group.most)} at once`);

  /** @param {Group} group */
  function whole({ lives: [first], label }) {
    if (!first) return label;
    const { buffer, from, to } = first;
    const lines = [label, `${size(buffer.bytes)}  ${buffer.text}`, buffer.op, buffer.layer, buffer.source, `instructions ${from} to ${to}`];
    return lines.filter((line) => line !== '').join('\n');
  }

  /** @param {Group} group */
  function lane(group) {
    const label = pressed(group.label, isPath());
    const most = groups.reduce((all, other) => Math.max(all, other.most), 1);
    const path = drawn('path', { d: area(group, n, most), class: colorOf(groups.indexOf(group)) });
    const band = drawn('svg', { class: 'tw-band', viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: 'none' }, path);
    band.setAttribute('aria-hidden', 'true');
    const row = element('div', { class: group === lit ? 'tw-lane tw-lit' : 'tw-lane', title: said(group) }, label, element('span', { class: 'tw-size' }, size(group.most)));
    row.append(band);
    row.addEventListener('click', () => onPick(group, by));
    return row;
  }

  function drawLanes() {
    const shown = groups.slice(0, nLanes);
    if (lit && !shown.includes(lit)) shown.unshift(lit);
    lanes.replaceChildren(...shown.map(lane));
    const left = groups.length - shown.length;
    if (left <= 0) return;
    const more = element('button', { type: 'button', class: 'tw-more' }, `more of ${groups.length}`);
    more.addEventListener('click', () => {
      nLanes *= 4;
      drawLanes();
    });
    lanes.append(more);
  }

  /** @param {number} clientX */
  function moment(clientX) {
    const box = plot.getBoundingClientRect();
    const column = Math.floor(((clientX - box.left) / box.width) * columns.length);
    // Where a column is of several instructions, the one with most.
    return columns[Math.max(0, Math.min(columns.length - 1, column))]?.time ?? 0;
  }
  plot.addEventListener('pointermove', (event) => isPinned || point(moment(event.clientX)));
  plot.addEventListener('pointerleave', () => isPinned || point(peak));
  plot.addEventListener('click', (event) => {
    isPinned = !isPinned;
    point(moment(event.clientX));
  });
  plot.addEventListener('keydown', (event) => {
    const next = steps.find(([from]) => from > time)?.[0];
    const before = steps.findLast(([from]) => from < time)?.[0];
    const to = { ArrowRight: next, ArrowLeft: before, Home: 0, End: n - 1, Escape: peak }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    isPinned = event.key !== 'Escape';
    point(to);
  });

  return {
    show(way, matches) {
      if (way !== by) lit = undefined;
      by = way;
      const name = lit?.key;
      groups = grouped(lives.filter(({ buffer }) => matches(buffer)), by, peak);
      lit = groups.find((group) => group.key === name);
      plot.replaceChildren(...stacked(columns, groups, n, top), mark(peak, n));
      drawLanes();
      // As high as it becomes, so that nothing moves where one points.
      now.style.minHeight = `${1.7 * (Math.min(NAMED, groups.length) + 4)}em`;
      point(time);
    },
    light(name) {
      lit = groups.find((group) => group.key === name);
      drawLanes();
      if (lit) root.scrollIntoView({ block: 'nearest' });
      return lit !== undefined;
    },
  };
}

/** @param {number} n */
const counted = (n) => `${n} ${n === 1 ? 'buffer' : 'buffers'}`;

/** @param {number} number */
const colorOf = (number) => (number >= 0 && number < COLORS ? `tw-color-${number}` : 'tw-no-color');

/**
 * @param {number} peak
 * @param {number} n
 */
function mark(peak, n) {
  const x = String(((peak + 0.5) / n) * WIDTH);
  return drawn('line', { class: 'tw-peak', x1: x, x2: x, y1: '0', y2: String(HEIGHT) });
}

/**
 * @param {[number, number][]} steps
 * @param {number} time
 */
function sumAt(steps, time) {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle]?.[0] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1]?.[1] ?? 0;
}

/** @typedef {{ time: number, sum: number }} Column the most of some instructions in a row, and when that is */

/**
 * The columns of the picture: one an instruction, or, where there are more of those than fit, one for several.
 * @param {Timeline} timeline
 * @returns {Column[]}
 */
function columnsOf({ n, steps, peak }) {
  const count = Math.min(n, WIDTH);
  const first = (/** @type {number} */ column) => Math.ceil((column * n) / count);
  const columns = Array.from({ length: count }, (_, column) => ({ time: first(column), sum: 0 }));
  steps.forEach(([time, sum], number) => {
    const end = Math.min(n, steps[number + 1]?.[0] ?? n);
    for (let column = Math.floor((time * count) / n); column < count && first(column) < end; column += 1) {
      const known = columns[column];
      if (known && sum > known.sum) columns[column] = { time: Math.max(time, first(column)), sum };
    }
  });
  // Of many steps the highest are told, with times that are not quite theirs. That of the peak is.
  columns[Math.floor((peak * count) / n)] = { time: peak, sum: sumAt(steps, peak) };
  return columns;
}

/**
 * The first groups one upon the other, and on top of them the rest of the sum.
 * @param {Column[]} columns
 * @param {Group[]} groups
 * @param {number} n
 * @param {number} top
 */
function stacked(columns, groups, n, top) {
  const floor = columns.map(() => 0);
  const y = (/** @type {number} */ bytes) => (HEIGHT * (1 - bytes / top)).toFixed(2);
  const x = (/** @type {number} */ column) => ((column / columns.length) * WIDTH).toFixed(2);
  /** @type {(ceiling: number[], color: string) => Element} */
  const layerOf = (ceiling, color) => {
    let there = '';
    let back = '';
    let last = '';
    ceiling.forEach((bytes, column) => {
      const step = `${y(bytes)} ${y(floor[column] ?? 0)}`;
      if (step === last) return;
      last = step;
      there += `H${x(column)}V${y(bytes)}`;
      back = `V${y(floor[column] ?? 0)}H${x(column)}${back}`;
    });
    ceiling.forEach((bytes, column) => (floor[column] = bytes));
    return drawn('path', { class: color, d: `M0 ${HEIGHT}${there}H${WIDTH}${back}Z` });
  };
  const paths = groups.slice(0, COLORS).map((group, number) => {
    const own = columns.map(() => 0);
    for (const { from, to, buffer } of group.lives) {
      const begin = Math.floor((from * columns.length) / n);
      for (let column = begin; column < columns.length; column += 1) {
        const time = columns[column]?.time ?? 0;
        if (time > to) break;
        if (time >= from) own[column] = (own[column] ?? 0) + buffer.bytes;
      }
    }
    return layerOf(own.map((bytes, column) => bytes + (floor[column] ?? 0)), colorOf(number));
  });
  paths.push(layerOf(columns.map(({ sum }, column) => Math.max(sum, floor[column] ?? 0)), 'tw-others'));
  return paths.reverse();
}

/**
 * A group's bytes over time, of a lane that is as high as `most`; what is there at all is to be seen.
 * @param {Group} group
 * @param {number} n
 * @param {number} most
 */
function area(group, n, most) {
  const x = (/** @type {number} */ time) => ((time / n) * WIDTH).toFixed(2);
  const steps = sums(group.lives);
  const boxes = steps.map(([time, bytes], number) => {
    const end = steps[number + 1]?.[0] ?? n;
    return bytes > 0 ? `M${x(time)} 10V${(8 - (8 * bytes) / most).toFixed(2)}H${x(end)}V10Z` : '';
  });
  return boxes.join('');
}
