// A WebAssembly module with the exports of `ask.wasm`, made by hand.
//
// It answers everything with the same text, traps at a question that has a `!` in it, and lets its memory
// grow whenever it is asked for anything, so that no view of the memory outlives a call.

const QUESTION = 65_536;
const ANSWER = 1024;

/** An integer in the base of 128 that the format has. */
function leb(n) {
  const low = n & 0x7f;
  const rest = n >> 7;
  return (rest === 0 && low < 64) || (rest === -1 && low >= 64) ? [low] : [low | 0x80, ...leb(rest)];
}

const unsigned = (n) => (n < 128 ? [n] : [(n & 0x7f) | 0x80, ...unsigned(n >> 7)]);
const section = (id, bytes) => [id, ...unsigned(bytes.length), ...bytes];
const list = (items) => [...unsigned(items.length), ...items.flat()];
const text = (words) => list([...new TextEncoder().encode(words)]);
const constant = (n) => [0x41, ...leb(n)];
const body = (locals, code) => {
  const bytes = [...locals, ...code, 0x0b];
  return [...unsigned(bytes.length), ...bytes];
};
const GROW = [...constant(1), 0x40, 0, 0x1a];
const [NO_LOCALS, ONE_LOCAL] = [[0], [1, 1, 0x7f]];

/** Leaves the loop at the end of the question, and traps at a `!` (33). */
const SCAN = [
  0x02, 0x40, 0x03, 0x40,
  0x20, 0, 0x23, 0, 0x4f, 0x0d, 1,
  0x20, 0, ...constant(QUESTION), 0x6a, 0x2d, 0, 0, ...constant(33), 0x46, 0x04, 0x40, 0x00, 0x0b,
  0x20, 0, ...constant(1), 0x6a, 0x21, 0, 0x0c, 0,
  0x0b, 0x0b,
];

/** The bytes of a module that answers `answer`. */
export function module(answer) {
  const bytes = [...new TextEncoder().encode(answer)];
  return Buffer.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([[0x60, 1, 0x7f, 1, 0x7f], [0x60, 0, 1, 0x7f]])),
    ...section(3, list([[0], [1], [1]])),
    ...section(5, list([[0, 4]])),
    ...section(6, list([[0x7f, 1, ...constant(0), 0x0b]])),
    ...section(7, list([
      [...text('memory'), 2, 0],
      [...text('question'), 0, 0],
      [...text('ask'), 0, 1],
      [...text('answer_len'), 0, 2],
    ])),
    ...section(10, list([
      body(NO_LOCALS, [0x20, 0, 0x24, 0, ...GROW, ...constant(QUESTION)]),
      body(ONE_LOCAL, [...SCAN, ...GROW, ...constant(ANSWER)]),
      body(NO_LOCALS, constant(bytes.length)),
    ])),
    ...section(11, list([[0, ...constant(ANSWER), 0x0b, ...list(bytes)]])),
  ]);
}
