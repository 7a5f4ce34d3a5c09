// What the page shows, as the fragment of its address has it.
//
// The fragment alone holds it, and no host ever sees a fragment: `#l=bf16[30,300]{1,0}&by=line`. What is
// not there is as it is at first. An HLO dump is not part of it: it is too large, and nobody's business.

export const VIEWS = ['layout', 'compare', 'algebra', 'tpu', 'hlo', 'code'] as const;
export type View = (typeof VIEWS)[number];

/** The languages that code is written in. */
export const LANGUAGES = ['c', 'cuda', 'opencl', 'rust', 'python', 'triton', 'wgsl', 'mlir', 'cute'] as const;
export type Language = (typeof LANGUAGES)[number];

/** What offsets count: elements, bytes, or blocks of so many bytes. */
export const UNITS = ['elements', 'bytes', 'bytes:4', 'bytes:16', 'bytes:64', 'bytes:128'] as const;
export type Unit = (typeof UNITS)[number];

export interface State {
  view: View;
  /** What somebody calls what is shown. */
  title: string;
  /** The layout. */
  l: string;
  /** The layout that it is compared with. */
  b: string;
  /** The expression of the algebra. */
  x: string;
  /** What has one colour. */
  by: string;
  unit: Unit;
  dir: 'offsets' | 'memory';
  /** How the tiling comes about, instead of the outcome. */
  steps: boolean;
  /** The one step that is shown; without one, all of them. */
  step: number | null;
  /** What a relayout moves, instead of the two layouts. */
  moves: boolean;
  /** The run that moves; without one, all of them. */
  frame: number | null;
  /** The offset of the place that is pointed at, or an index. */
  at: string;
  chip: string;
  lang: Language;
  /** Whether code for the relayout to the other layout is written too. */
  pair: boolean;
}

export const FIRST: State = {
  view: 'layout',
  title: '',
  l: 'bf16[30,300]{1,0:T(8,128)(2,1)}',
  b: 'bf16[30,300]{1,0:T(16,128)(2,1)}',
  x: 'composition((10,2):(16,4),(3,4):(1,5))',
  by: 'tile',
  unit: 'elements',
  dir: 'offsets',
  steps: false,
  step: null,
  moves: false,
  frame: null,
  at: '',
  chip: 'v5e',
  lang: 'c',
  pair: false,
};

/** The signs that would end a value, or that a browser would change on the way. */
const UNREADABLE = /[%&#+\s"<>`]/g;

/** As somebody reads it in the address bar. */
function readable(value: string): string {
  return value.replace(UNREADABLE, encodeURIComponent);
}

/** As it passes through any program that looks for links in a text. */
function strict(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|3A|2F)/g, decodeURIComponent);
}

function written(state: State, encode: (value: string) => string): string {
  const pairs = Object.entries(state).filter(([key, value]) => value !== FIRST[key as keyof State]);
  return pairs.map(([key, value]) => `${key}=${encode(value === true ? '1' : String(value))}`).join('&');
}

export function fragment(state: State): string {
  return `#${written(state, readable)}`;
}

export function link(state: State): string {
  return `${location.origin}${location.pathname}#${written(state, strict)}`;
}

/** What a fragment says; what is broken or unknown in it is left out. */
export function read(fragment: string): State {
  const state: State = { ...FIRST };
  const pairs = fragment.replace(/^#/, '').split('&');
  const values = new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), decoded(pair.slice(at + 1))] as const;
    }),
  );
  for (const key of ['title', 'l', 'b', 'x', 'by', 'at', 'chip'] as const) {
    state[key] = values.get(key) ?? state[key];
  }
  state.view = VIEWS.find((view) => view === values.get('view')) ?? FIRST.view;
  state.unit = UNITS.find((unit) => unit === values.get('unit')) ?? FIRST.unit;
  state.lang = LANGUAGES.find((lang) => lang === values.get('lang')) ?? FIRST.lang;
  state.dir = values.get('dir') === 'memory' ? 'memory' : 'offsets';
  state.steps = values.get('steps') === '1';
  state.pair = values.get('pair') === '1';
  state.moves = values.get('moves') === '1';
  state.step = counted(values.get('step'));
  state.frame = counted(values.get('frame'));
  return state;
}

/** A number that counts from nought, or none. */
function counted(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
