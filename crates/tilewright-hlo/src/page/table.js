// A table of any length: the rows that can be seen are all that is in the document.

import { drawn, element, pressed } from './chart.js';

/** @typedef {import('./texts.js').Texts} Texts */

/**
 * `text` and `code` are numbers of texts; `bar` has no value, and shows the
 * columns of the roles `bytes` and `padding`.
 * @typedef {'text' | 'code' | 'size' | 'number' | 'bar'} Kind
 */

/** @typedef {{ name: string, kind: Kind, role: string, shown: boolean }} Column */

/** @typedef {(number | null)[]} Row */

/** @typedef {(number: number) => boolean} Matches whether a row is wanted, by its number */

/**
 * @typedef {object} Rows
 * @property {Column[]} columns
 * @property {Row[]} rows
 */

/**
 * @typedef {object} Uses
 * @property {Texts} texts
 * @property {(bytes: number) => string} size
 * @property {(row: Row) => (() => void) | undefined} link where a row's name leads, if it leads anywhere
 * @property {(row: Row | undefined, number: number) => void} onChoose
 */

/** So many rows can be seen at most (see the style), and so many are drawn above those and below. */
const SEEN = 22;
const BEYOND = 8;

/** How high a row is: all are alike, and none has more than a line. */
let rowHeight = 0;

/** The columns whose texts are paths, of which the end says most. */
const PATHS = new Set(['source', 'layer']);

const NUMBERS = new Set(['size', 'number']);

export class Table {
  /**
   * @param {HTMLElement} root what holds the table, and scrolls
   * @param {Uses} uses
   */
  constructor(root, uses) {
    this.root = root;
    this.uses = uses;
    /** @type {Rows} */
    this.data = { columns: [], rows: [] };
    /** @type {Uint32Array} the numbers of the rows that are shown, in their order */
    this.order = new Uint32Array();
    this.sorted = { column: -1, isDown: true };
    /** @type {number | undefined} */
    this.chosen = undefined;
    /** @type {Matches} */
    this.matches = () => true;
    this.top = 0;
    this.largest = 1;
    /** @type {boolean[]} of the columns */
    this.shown = [];
    this.head = element('thead');
    this.body = element('tbody');
    this.widths = element('colgroup');
    this.table = element('table', {}, this.widths, this.head, this.body);
    root.replaceChildren(this.table);
    root.tabIndex = 0;
    let isAsked = false;
    const onScroll = () => {
      if (isAsked) return;
      isAsked = true;
      requestAnimationFrame(() => {
        isAsked = false;
        this.top = root.scrollTop;
        this.draw();
      });
    };
    root.addEventListener('scroll', onScroll, { passive: true });
    root.addEventListener('keydown', (event) => this.key(event));
  }

  /**
   * Has other rows from now on, and shows those that match.
   * @param {Rows} data
   * @param {Matches} matches
   */
  show(data, matches) {
    this.data = data;
    this.sorted = { column: -1, isDown: true };
    this.chosen = undefined;
    const bytes = this.columnOf('bytes');
    this.largest = data.rows.reduce((most, row) => Math.max(most, row[bytes] ?? 0), 1);
    // A column that says nothing of any row is left out.
    this.shown = data.columns.map((column, n) => column.shown && data.rows.some((row) => column.kind === 'bar' || this.said(column, row, n) !== ''));
    const shown = data.columns.filter((_, n) => this.shown[n]);
    this.widths.replaceChildren(...shown.map(({ kind, role }) => element('col', { class: `tw-w-${kind} tw-w-${role}` })));
    this.heads();
    return this.filter(matches);
  }

  /** @param {string} role */
  columnOf(role) {
    return this.data.columns.findIndex((column) => column.role === role);
  }

  /**
   * Shows the rows that match alone. Says how many those are.
   * @param {Matches} matches
   */
  filter(matches) {
    this.matches = matches;
    const kept = new Uint32Array(this.data.rows.length);
    let count = 0;
    for (let number = 0; number < kept.length; number += 1) if (matches(number)) kept[count++] = number;
    this.order = kept.subarray(0, count);
    this.sort();
    if (this.top > 0) this.root.scrollTop = 0;
    this.top = 0;
    this.draw();
    return count;
  }

  /** Sorts what is shown; as the report has it, where no column was chosen. */
  sort() {
    const { column, isDown } = this.sorted;
    const of = this.data.columns[column];
    // They are in the order of the report.
    if (!of) return;
    const order = NUMBERS.has(of.kind) ? undefined : this.uses.texts.order();
    const values = Float64Array.from(this.data.rows, (row) => (order ? order[row[column] ?? 0] ?? 0 : row[column] ?? -Infinity));
    const sign = isDown ? -1 : 1;
    // A row that is as another stays where it was.
    this.order.sort((a, b) => sign * signOf(values[a] ?? 0, values[b] ?? 0) || a - b);
  }

  heads() {
    const cells = this.data.columns.map((column, number) => {
      if (!this.shown[number]) return [];
      const cell = element('th', { scope: 'col', class: `tw-c-${column.kind}` });
      if (column.kind === 'bar') cell.append(column.name);
      else {
        const button = element('button', { type: 'button', title: `sort by ${column.name}` }, column.name);
        button.addEventListener('click', () => this.sortBy(number));
        cell.append(button);
        if (this.sorted.column === number) cell.setAttribute('aria-sort', this.sorted.isDown ? 'descending' : 'ascending');
      }
      return [cell];
    });
    this.head.replaceChildren(element('tr', {}, ...cells.flat()));
  }

  /** @param {number} column */
  sortBy(column) {
    // Numbers begin with the largest, texts with the first; the second time it is the other way.
    const isNumber = NUMBERS.has(this.data.columns[column]?.kind ?? '');
    this.sorted = { column, isDown: this.sorted.column === column ? !this.sorted.isDown : isNumber };
    this.heads();
    this.filter(this.matches);
    /** @type {HTMLElement | null} */
    const button = this.head.querySelector('[aria-sort] button');
    button?.focus({ preventScroll: true });
  }

  /** Draws the rows that can be seen, with as much room above and below as the others take. */
  draw() {
    if (rowHeight === 0 && this.order.length > 0) {
      this.body.replaceChildren(this.row(this.order[0] ?? 0, 0));
      rowHeight = this.body.rows[0]?.getBoundingClientRect().height ?? 0;
    }
    const height = rowHeight || 24;
    const first = Math.max(0, Math.floor(this.top / height) - BEYOND);
    const end = Math.min(this.order.length, first + SEEN + 2 * BEYOND);
    const rows = [...this.order.subarray(first, end)].map((number, n) => this.row(number, first + n));
    this.body.replaceChildren(room(first * height), ...rows, room((this.order.length - end) * height));
    this.table.setAttribute('aria-rowcount', String(this.order.length + 1));
  }

  /**
   * @param {number} number
   * @param {number} place
   */
  row(number, place) {
    const row = this.data.rows[number] ?? [];
    const cells = this.data.columns.flatMap((column, n) => (this.shown[n] ? [this.cell(column, row, n)] : []));
    const made = element('tr', { 'aria-rowindex': String(place + 2) }, ...cells);
    if (number === this.chosen) made.setAttribute('aria-current', 'true');
    made.addEventListener('click', () => this.choose(number));
    return made;
  }

  /**
   * @param {Column} column
   * @param {Row} row
   * @param {number} number
   */
  cell(column, row, number) {
    const text = this.said(column, row, number);
    const isPath = PATHS.has(column.role);
    const cell = element('td', { class: `tw-c-${column.kind}${isPath ? ' tw-path' : ''}`, title: this.whole(column, row, number) });
    const link = column.role === 'name' ? this.uses.link(row) : undefined;
    if (column.kind === 'bar') cell.append(this.bar(row));
    else if (column.kind === 'code') cell.append(element('code', {}, text));
    else if (isPath) cell.append(element('bdi', {}, text));
    else if (link) {
      const button = pressed(text, false);
      button.addEventListener('click', (event) => {
        event.stopPropagation();
        link();
      });
      cell.append(button);
    } else cell.append(text);
    return cell;
  }

  /**
   * What a cell says.
   * @param {Column} column
   * @param {Row} row
   * @param {number} number
   */
  said(column, row, number) {
    const value = row[number];
    if (column.kind === 'size') return value == null ? '' : this.uses.size(value);
    if (column.kind === 'number') return value == null ? '' : String(value);
    return column.kind === 'bar' ? '' : this.uses.texts.at(value);
  }

  /**
   * All that there is to say of a cell.
   * @param {Column} column
   * @param {Row} row
   * @param {number} number
   */
  whole(column, row, number) {
    if (column.kind !== 'bar') return this.said(column, row, number);
    const [bytes, padding] = this.shares(row);
    return `data ${this.uses.size(bytes - padding)}, padding ${this.uses.size(padding)}`;
  }

  /**
   * The bytes of a row, and how many of them are padding.
   * @param {Row} row
   * @returns {[number, number]}
   */
  shares(row) {
    return [row[this.columnOf('bytes')] ?? 0, row[this.columnOf('padding')] ?? 0];
  }

  /** @param {Row} row */
  bar(row) {
    const [bytes, padding] = this.shares(row);
    const share = (/** @type {number} */ part) => ((100 * Math.max(0, part)) / this.largest).toFixed(2);
    const data = drawn('rect', { class: 'tw-data', height: '8', width: share(bytes - padding) });
    const pad = drawn('rect', { class: 'tw-padding', height: '8', x: share(bytes - padding), width: share(padding) });
    return drawn('svg', { class: 'tw-bar', viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, data, pad);
  }

  /**
   * Chooses a row, or none.
   * @param {number | undefined} number
   */
  choose(number) {
    this.chosen = number;
    this.draw();
    this.uses.onChoose(number === undefined ? undefined : this.data.rows[number], number ?? -1);
  }

  /**
   * Chooses a row and scrolls to it. Says whether it is shown.
   * @param {number} number
   */
  goTo(number) {
    const place = this.order.indexOf(number);
    if (place < 0) return false;
    const top = place * rowHeight;
    if (top < this.root.scrollTop || top > this.root.scrollTop + this.root.clientHeight - 3 * rowHeight) {
      this.root.scrollTop = top - this.root.clientHeight / 3;
      this.top = this.root.scrollTop;
    }
    this.choose(number);
    return true;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.target !== this.root) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || this.order.length === 0) return;
    event.preventDefault();
    const place = this.chosen === undefined ? -1 : this.order.indexOf(this.chosen);
    this.goTo(this.order[Math.max(0, Math.min(this.order.length - 1, place + step))] ?? 0);
  }
}

/** @param {number} height */
function room(height) {
  const row = element('tr', { class: 'tw-room', 'aria-hidden': 'true' });
  row.style.height = `${height}px`;
  return row;
}

/**
 * @param {number} a
 * @param {number} b
 */
const signOf = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
