// The texts of a report, each kept once, and what is asked of all of them at a time.

export class Texts {
  /** @param {string[]} all the first is empty */
  constructor(all) {
    this.all = all;
    /** @type {string[] | undefined} */
    this.lower = undefined;
    /** @type {Map<string, number>} texts that the report has not, such as those of groups */
    this.added = new Map();
    /** @type {Float64Array | undefined} */
    this.places = undefined;
  }

  /** @param {number | null | undefined} number */
  at(number) {
    return this.all[number ?? 0] ?? '';
  }

  /**
   * The number of a text, which may be a new one.
   * @param {string} text
   */
  number(text) {
    const known = text === '' ? 0 : this.added.get(text);
    if (known !== undefined) return known;
    this.lower?.push(text.toLowerCase());
    this.places = undefined;
    const number = this.all.push(text) - 1;
    this.added.set(text, number);
    return number;
  }

  /**
   * Which texts have a word in them, whatever its case.
   * @param {string} word
   */
  having(word) {
    this.lower ??= this.all.map((text) => text.toLowerCase());
    const having = new Uint8Array(this.lower.length);
    this.lower.forEach((text, number) => {
      if (text.includes(word)) having[number] = 1;
    });
    return having;
  }

  /**
   * Which texts are this one.
   * @param {string} wanted
   */
  equal(wanted) {
    return Uint8Array.from(this.all, (text) => (text === wanted ? 1 : 0));
  }

  /** The place of each text in alphabetical order. Equal ones have the same. */
  order() {
    if (this.places) return this.places;
    const texts = this.all;
    const sorted = texts.map((_, number) => number).sort((a, b) => compared(texts[a] ?? '', texts[b] ?? ''));
    const order = new Float64Array(texts.length);
    let place = 0;
    sorted.forEach((number, n) => {
      if (n > 0 && texts[number] !== texts[sorted[n - 1] ?? 0]) place = n;
      order[number] = place;
    });
    this.places = order;
    return order;
  }
}

/**
 * @param {string} a
 * @param {string} b
 */
const compared = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
