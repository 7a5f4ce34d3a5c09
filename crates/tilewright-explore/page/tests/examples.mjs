// What each example promises: the layout that is drawn or worked out, and what is to be seen of it.

/** By name: how the picture's title begins, words in the picture, and words beside it. */
export const EXAMPLES = {
  'Rows': { draws: 'f32[3,5]{1,0}', picture: ['15 elements of 4 bytes'], beside: ['i0*5 + i1'] },
  'Columns': { draws: 'f32[3,5]{0,1}', picture: ['15 elements of 4 bytes'], beside: ['i1*3 + i0'] },
  'Tiles': { draws: 'f32[3,5]{1,0:T(2,2)}', picture: ['6 tiles of 2 × 2', 'tile 1,0'], beside: ['96 bytes', '(2, 3)'] },
  'Step by step': { draws: 'f32[3,5]{1,0:T(2,2)}', picture: ['pad to [4,6]', 'transpose by (0,2,1,3)'] },
  'Tiles in tiles': { draws: 'bf16[4,8]{1,0:T(2,4)(2,1)}', picture: ['4 tiles of 2 × 4'], beside: ['64 bytes'] },
  'A TPU’s 16 bits': { draws: 'bf16[30,300]{1,0:T(8,128)(2,1)}', picture: ['12 tiles of 8 × 128'], beside: ['6576 bytes of padding'] },
  'A narrow array': { draws: 'u32[1024,1]{1,0:T(8,128)}', picture: ['128 tiles of 8 × 128'], beside: ['99.2 %'] },
  'Bits in bytes': { draws: 's4[4,8]{1,0:T(4,8)E(4)}', picture: ['32 elements of 4 bits', 'byte 0'], beside: ['16 bytes'] },
  'Tiles across dimensions': { draws: 'f32[2,3,4]{2,1,0:T(*,4)}', picture: ['24 elements of 4 bytes'], beside: ['96 bytes'] },
  'Shape and stride': { draws: '((2,2),(2,3)):((2,12),(1,4)):(3,5)', picture: ['6 tiles of 2 × 2'], beside: ['15'] },
  'Ascend’s fractals': { draws: 'f16 ((_16,2),(_16,3)):((_16,_256),(_1,512)):(28,40)', picture: ['6 tiles of 16 × 16'], beside: ['3072 bytes'] },
  'A swizzle and its banks': { draws: 'f32 Sw<3,0,3> o 0 o (8,8):(8,1)', picture: ['8 reads of 8 banks', '8 turns'], beside: ['256 bytes'] },
  'Channels in blocks': { draws: 'f32[1,20,2,2] aBcd16b', picture: ['8 tiles of 16 × 1 × 1'], beside: ['512 bytes'] },
  'Two formats compared': { draws: 'f32[10,6]{1,0:T(2,4)}', picture: ['f32[10,6]{1,0:T(4,2)}'], beside: ['index [0, 2] is at offset 2 and at 8', 'writes 288 bytes'] },
  'What a relayout moves': { draws: 'f32[4,4]{1,0} to f32[4,4]{1,0:T(2,2)}', picture: ['memory of f32[4,4]{1,0:T(2,2)}'], beside: ['reads 64 bytes, writes 64 bytes'] },
  'The algebra': { draws: '((2,2)', picture: ['24 elements'], beside: ['((2,2),(2,3)):((4,1),(2,8))'] },
};
