// Layouts that tell the story of the two documents, XLA's *Tiled layout* and *The layout algebra*, in the order in which they do.

import { FIRST, type State } from './state';

export interface Example {
  name: string;
  says: string;
  shows: Partial<State>;
}

const layout = (name: string, says: string, l: string, shows: Partial<State> = {}): Example => ({
  name,
  says,
  shows: { ...FIRST, l, ...shows },
});

export const EXAMPLES: Example[] = [
  layout('Rows', 'Without tiles an array lies row after row.', 'f32[3,5]{1,0}'),
  layout('Columns', 'The order says which dimension lies closest: here the first.', 'f32[3,5]{0,1}'),
  layout('Tiles', 'Cut into tiles of 2 × 2; what does not fill a tile is padding.', 'f32[3,5]{1,0:T(2,2)}', { at: '2,3' }),
  layout('Step by step', 'Tiling is to pad, to reshape and to transpose.', 'f32[3,5]{1,0:T(2,2)}', { steps: true }),
  layout('Tiles in tiles', 'In each tile tiles of 2 × 1: two rows alternate in memory.', 'bf16[4,8]{1,0:T(2,4)(2,1)}'),
  layout('A TPU’s 16 bits', 'Tiles of 8 × 128, rows in pairs that share a 32-bit word.', 'bf16[30,300]{1,0:T(8,128)(2,1)}'),
  layout('A narrow array', 'One column of 128: all but a hundredth of memory is padding.', 'u32[1024,1]{1,0:T(8,128)}'),
  layout('Bits in bytes', 'Two elements of 4 bits share a byte.', 's4[4,8]{1,0:T(4,8)E(4)}', { unit: 'bytes' }),
  layout('Tiles across dimensions', 'A * lays dimensions together before they are cut.', 'f32[2,3,4]{2,1,0:T(*,4)}'),
  layout('Shape and stride', 'The same tiles as modes: each part of the shape has its stride.', '((2,2),(2,3)):((2,12),(1,4)):(3,5)'),
  layout('Ascend’s fractals', 'zN: fractals of 16 × 16, one column of them after another.', 'f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)'),
  layout('A swizzle and its banks', 'Without it a column is in one bank; with it in all of them.', 'f32 Sw<3,0,3> o 0 o (8,8):(8,1)', { by: 'bank:8x4' }),
  layout('Channels in blocks', 'oneDNN’s aBcd16b: 16 channels lie side by side.', 'f32[1,20,2,2] aBcd16b'),
  {
    name: 'Two formats compared',
    says: 'Taller tiles pad more: what differs, and how the one becomes the other.',
    shows: { ...FIRST, view: 'compare', l: 'f32[10,6]{1,0:T(2,4)}', b: 'f32[10,6]{1,0:T(4,2)}' },
  },
  {
    name: 'What a relayout moves',
    says: 'Runs of elements that lie side by side before and after, one after another.',
    shows: { ...FIRST, view: 'compare', l: 'f32[4,4]', b: 'f32[4,4]{1,0:T(2,2)}', moves: true },
  },
  {
    name: 'The algebra',
    says: 'A layout after another one, step by step.',
    shows: { ...FIRST, view: 'algebra', x: 'logical_divide((4,2,3):(2,1,8),4:2)' },
  },
];

/** A small module with a copy that changes the format, and a bitcast. */
export const MODULE = `HloModule example, entry_computation_layout={(f32[1024,1]{1,0:T(8,128)})->f32[1,1024]{1,0:T(1,128)}}

ENTRY main {
  column = f32[1024,1]{1,0:T(8,128)} parameter(0)
  copied = f32[1024,1]{0,1:T(1,128)} copy(column)
  ROOT row = f32[1,1024]{1,0:T(1,128)} bitcast(copied)
}
`;
