// The report: its charts and tables, what is searched for in all of them, and how one leads to the other.

import { chart, element } from './chart.js';
import { WAYS, key } from './groups.js';
import { bufferOf, choicesOf, summed } from './sums.js';
import { Table } from './table.js';
import { Texts } from './texts.js';

/** @typedef {import('./chart.js').Chart} Chart */
/** @typedef {import('./groups.js').Buffer} Buffer */
/** @typedef {import('./groups.js').By} By */
/** @typedef {import('./table.js').Column} Column */
/** @typedef {import('./table.js').Row} Row */

/**
 * What is in the document: see `data.rs`.
 * @typedef {object} Data
 * @property {string[]} texts
 * @property {{ title: string, space: string, all: number, columns: [string, import('./table.js').Kind, string, boolean][], rows: Row[], notes: [number, number[]][] }[]} tables
 * @property {{ space: string, n: number, peak: number, at: number, steps: [number, number][], table: number, lives: [number, number, Row][] }[]} charts
 */

/** What rows can be chosen by, and the role of the column that says it. */
const FACETS = /** @type {const} */ ([
  ['space', 'memory'],
  ['op', 'op'],
  ['source', 'source'],
  ['layer', 'layer'],
]);

const UNITS = ['K', 'M', 'G', 'T', 'P', 'E'];

/**
 * Bytes as XLA writes them, and as the rest of the page has them: `512B`, `64.0K`, `32.00G`.
 * @param {number} bytes
 */
function size(bytes) {
  let [value, power] = [Math.abs(bytes), -1];
  while (value >= 1024 && power < UNITS.length - 1) {
    value /= 1024;
    power += 1;
  }
  const digits = power < 0 ? 0 : power === 0 ? 1 : 2;
  return `${bytes < 0 ? '-' : ''}${value.toFixed(digits)}${UNITS[power] ?? 'B'}`;
}

/** @param {HTMLElement} root */
function report(root) {
  const found = root.querySelector('.tw-document');
  const tools = root.querySelector('.tw-tools');
  if (!found || !tools) return;
  /** @type {Data} */
  const data = JSON.parse(found.textContent ?? '');
  const texts = new Texts(data.texts);
  /** @type {By} */
  let by = 'buffer';
  /** @type {Uint8Array[]} for each word that is searched for, which texts have it */
  let words = [];
  /** @type {Map<string, string>} what was chosen of each list */
  const chosen = new Map();

  const tables = data.tables.map((of, number) => section(of, number));
  /** @type {{ space: string, at: Chart, root: Element }[]} */
  const charts = data.charts.flatMap(({ table, ...of }) => {
    const place = root.querySelector(`.tw-chart[data-space="${CSS.escape(of.space)}"]`);
    const columns = tables[table]?.columns;
    if (!(place instanceof HTMLElement) || !columns) return [];
    const lives = of.lives.map(([from, to, row]) => ({ from, to, buffer: bufferOf(texts, columns, row) }));
    const timeline = { ...of, at: texts.at(of.at), lives };
    return [{ space: of.space, at: chart(place, timeline, { size, onPick: (group, way) => pick(of.space, group.key, way) }), root: place }];
  });
  /** @type {Map<string, Set<string>>} the buffers that have a place in a chart */
  const drawn = new Map(data.charts.map(({ space, table, lives }) => {
    const columns = tables[table]?.columns ?? [];
    return [space, new Set(lives.map(([, , row]) => bufferOf(texts, columns, row).name))];
  }));

  /**
   * @param {Data['tables'][number]} of
   * @param {number} number
   */
  function section(of, number) {
    const place = /** @type {HTMLElement} */ (root.querySelector(`section[data-table="${number}"]`));
    const heading = /** @type {HTMLElement} */ (place.querySelector('.tw-count'));
    const scroller = /** @type {HTMLElement} */ (place.querySelector('.tw-scroll'));
    const details = element('div', { class: 'tw-details' });
    details.hidden = true;
    scroller.after(details);
    const columns = of.columns.map(([name, kind, role, shown]) => ({ name, kind, role, shown }));
    const notes = new Map(of.notes);
    const own = { columns, rows: of.rows };
    /** @type {Map<number, Uint32Array>} */
    const numbers = new Map();
    const table = new Table(scroller, {
      texts,
      size,
      link: (row) => (isGrouped() ? pressGroup(row) : linkOf(row)),
      onChoose: (row, at) => say(row, at),
    });
    /** @type {import('./sums.js').Sums | undefined} what is shown while the rows are summed up */
    let sums;
    const isPeak = columns.some(({ role }) => role === 'until');
    const isGrouped = () => sums !== undefined;

    /** @param {Row} row */
    function spaceOf(row) {
      const column = columns.findIndex(({ role }) => role === 'space');
      return column < 0 ? of.space : texts.at(row[column]);
    }

    /** @param {Row} row */
    function linkOf(row) {
      const space = spaceOf(row);
      const name = bufferOf(texts, columns, row).name;
      return drawn.get(space)?.has(name) ? () => goToChart(space, name) : undefined;
    }

    /** @param {Row} row */
    function pressGroup(row) {
      return () => pick(of.space, sums?.keys.get(row) ?? '', by);
    }

    /**
     * @param {Row | undefined} row
     * @param {number} at
     */
    function say(row, at) {
      details.hidden = row === undefined || isGrouped();
      if (!row || details.hidden) return;
      const list = element('dl');
      const tell = (/** @type {string} */ what, /** @type {string} */ text) => {
        if (text !== '') list.append(element('dt', {}, what), element('dd', {}, text));
      };
      columns.forEach((column, n) => {
        if (column.kind !== 'bar') tell(column.name, table.said(column, row, n));
      });
      for (const note of notes.get(at) ?? []) tell('Note', texts.at(note));
      const close = element('button', { type: 'button', class: 'tw-close', 'aria-label': 'close' }, '×');
      close.addEventListener('click', () => table.choose(undefined));
      details.replaceChildren(close, list);
      const picture = place.querySelector(`[data-picture="${at}"]`);
      if (picture) details.append(picture.cloneNode(true));
      const link = linkOf(row);
      if (link) {
        const button = element('button', { type: 'button', class: 'tw-more' }, 'its life in the chart');
        button.addEventListener('click', link);
        details.append(button);
      }
    }

    /** Whether a row of the report is wanted: by what was chosen, and by the words. */
    function matching() {
      const facets = [...chosen].map(([role, value]) => {
        const column = columns.findIndex((of) => of.role === role);
        if (column < 0) return () => role === 'space' && of.space === value;
        const isOf = texts.equal(value);
        const values = numbersOf(column);
        return (/** @type {number} */ number) => isOf[values[number] ?? 0] === 1;
      });
      const worded = columns.flatMap(({ kind }, n) => (kind === 'size' || kind === 'number' || kind === 'bar' ? [] : [numbersOf(n)]));
      return (/** @type {number} */ number) => {
        for (const facet of facets) if (!facet(number)) return false;
        for (const word of words) {
          let isThere = false;
          for (const values of worded) isThere ||= word[values[number] ?? 0] === 1;
          if (!isThere) return false;
        }
        return true;
      };
    }

    /**
     * The texts of a column, by their numbers.
     * @param {number} column
     */
    function numbersOf(column) {
      const known = numbers.get(column) ?? Uint32Array.from(of.rows, (row) => row[column] ?? 0);
      numbers.set(column, known);
      return known;
    }

    function update() {
      const matches = matching();
      let count;
      if (isPeak && by !== 'buffer') {
        const kept = own.rows.filter((_, number) => matches(number));
        sums = summed(texts, columns, kept, by);
        count = kept.length;
        table.show(sums, () => true);
      } else {
        sums = undefined;
        count = table.data === own ? table.filter(matches) : table.show(own, matches);
      }
      details.hidden = true;
      const all = of.rows.length === of.all ? `${of.all}` : `the first ${of.rows.length} of ${of.all}`;
      heading.textContent = count === of.rows.length ? all : `${count} of ${all}`;
      place.classList.toggle('tw-none', count === 0);
    }

    return { columns, rows: of.rows, space: of.space, isPeak, table, place, update, spaceOf, numbersOf };
  }

  /** When the charts are drawn anew. */
  let later = 0;

  /**
   * Shows a buffer's life.
   * @param {string} space
   * @param {string} name
   */
  function goToChart(space, name) {
    const wanted = charts.find((of) => of.space === space);
    if (!wanted) return;
    setBy('buffer');
    // What is searched for may leave it out.
    if (!wanted.at.light(name)) {
      clear();
      wanted.at.light(name);
    }
    const lane = wanted.root.querySelector('.tw-lit');
    lane?.scrollIntoView({ block: 'center', behavior: 'smooth' });
  }

  /**
   * Goes from a lane of a chart to what it stands for: a buffer's row, or the rows of a group.
   * @param {string} space
   * @param {string} of
   * @param {By} way
   */
  function pick(space, of, way) {
    if (way !== 'buffer') {
      choose(way, of);
      setBy('buffer');
      return;
    }
    charts.find((chart) => chart.space === space)?.at.light(of);
    // Who is alive at the peak has its row there; the others are among all buffers.
    for (const { columns, rows, isPeak, place, table, ...wanted } of tables) {
      const name = columns.findIndex(({ role }) => role === 'name');
      const isOf = (/** @type {Row} */ row) => texts.at(row[name]) === of && wanted.spaceOf(row) === space;
      const number = rows.findIndex(isOf);
      if (number < 0 || !(isPeak || place.classList.contains('tw-buffers'))) continue;
      if (!table.goTo(number)) {
        clear();
        table.goTo(number);
      }
      place.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
      return;
    }
  }

  const search = element('input', { type: 'search', placeholder: 'only what has these words', 'aria-label': 'only what has these words' });
  search.addEventListener('input', () => {
    words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== '').map((word) => texts.having(word));
    for (const table of tables) table.update();
    // The pictures come once nobody types: a letter is not to wait for them.
    clearTimeout(later);
    later = setTimeout(updateCharts, 150);
  });

  const lists = FACETS.flatMap(([role, name]) => {
    const choices = choicesOf(texts, tables, role);
    if (choices.length < 2) return [];
    const list = element('select', { 'aria-label': name }, element('option', { value: '' }, `any ${name}`));
    choices.forEach((value, n) => {
      const text = value === '' ? `no ${name}` : value;
      list.append(element('option', { value: String(n + 1) }, text.length > 80 ? `…${text.slice(-79)}` : text));
    });
    list.addEventListener('change', () => {
      const value = choices[Number(list.value) - 1];
      if (value === undefined) chosen.delete(role);
      else chosen.set(role, value);
      update();
    });
    return [{ role, list, choices }];
  });

  /**
   * @param {string} role
   * @param {string} value
   */
  function choose(role, value) {
    chosen.set(role, value);
    const known = lists.find((of) => of.role === role);
    if (known) {
      let place = known.choices.indexOf(value);
      if (place < 0) {
        place = known.choices.push(value) - 1;
        known.list.append(element('option', { value: String(place + 1) }, value));
      }
      known.list.value = String(place + 1);
    }
    update();
  }

  /** Shows all again. */
  function clear() {
    search.value = '';
    words = [];
    chosen.clear();
    for (const { list } of lists) list.value = '';
    update();
  }

  const ways = element('select', { 'aria-label': 'group by' });
  ways.append(...WAYS.map(([way, name]) => element('option', { value: way }, `by ${name}`)));
  ways.addEventListener('change', () => setBy(/** @type {By} */ (ways.value)));

  /** @param {By} way */
  function setBy(way) {
    if (by === way) return;
    by = way;
    ways.value = way;
    update();
  }

  const everything = element('button', { type: 'button', class: 'tw-more' }, 'show all');
  everything.addEventListener('click', clear);
  tools.replaceChildren(search, ...lists.map(({ list }) => list), ...(charts.length > 0 ? [ways] : []), everything);

  function update() {
    for (const table of tables) table.update();
    updateCharts();
  }

  function updateCharts() {
    clearTimeout(later);
    const space = chosen.get('space');
    for (const of of charts) {
      /** @type {HTMLElement | null} */
      const place = of.root.closest('.tw-space');
      if (place) place.hidden = space !== undefined && space !== of.space;
      of.at.show(by, isWanted);
    }
    everything.disabled = words.length === 0 && chosen.size === 0;
  }

  /** @param {Buffer} of */
  function isWanted(of) {
    const isChosen = (/** @type {[string, string]} */ [role, value]) => role === 'space' || key(of, /** @type {By} */ (role)) === value;
    const said = `${of.name}\n${of.text}\n${of.op}\n${of.source}\n${of.layer}`.toLowerCase();
    const searched = search.value.toLowerCase().split(/\s+/);
    return [...chosen].every(isChosen) && searched.every((word) => said.includes(word));
  }

  update();
}

for (const root of document.querySelectorAll('.tw:not([data-tw-live])')) {
  if (!(root instanceof HTMLElement)) continue;
  root.dataset.twLive = '';
  report(root);
}
