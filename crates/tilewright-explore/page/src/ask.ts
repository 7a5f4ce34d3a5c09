// Questions, and what their answers look like.
//
// Everything that is known of layouts is on the other side of `ask`.

import { Mistake, NoAnswer, answer } from './host';
import { type Int, parse, write } from './json';

export interface Refusal {
  message: string;
  span?: [number, number] | null;
  expected?: string | null;
  help?: string | null;
}

/** What the host says to one question. */
export interface Reply<T> {
  answer?: T;
  error?: Refusal;
  notes?: string[];
}

export interface Piece {
  span: [number, number];
  kind: 'type' | 'dims' | 'order' | 'tile' | 'attribute' | 'shape' | 'stride' | 'original';
  level: number | null;
  says: string;
}

export interface Pieces {
  pieces: Piece[];
  error: Refusal | null;
  warnings: string[];
}

export interface Completion {
  text: string;
  says: string;
}

export interface Completions {
  span: [number, number];
  items: Completion[];
}

export interface Shown {
  text: string;
  notation: string;
  element_type: string | null;
  dims: (Int | null)[] | null;
  physical_dims: Int[] | null;
  elements: Int | null;
  allocation_elements: Int | null;
  bytes: Int | null;
  logical_bytes: Int | null;
  xla_bytes: Int | null;
  padding_bytes: Int | null;
  index_expression: string | null;
  leaves?: Shown[];
}

export interface Spot {
  /** Left, top, width and height in the picture. */
  area: [number, number, number, number];
  /** The index of the place; empty where there is none. */
  index?: Int[];
  offset: Int | null;
  says: string;
}

/** The border of a tile. */
export interface Block {
  /** Of which level of tiles it is, as `Piece.level` counts them. */
  level: number;
  area: Spot['area'];
}

export interface Drawn {
  title: string;
  subtitle: string;
  svg: string;
  spots: Spot[];
  blocks?: Block[];
  /** What each step does, where the picture is of steps. */
  steps?: string[] | null;
  /** How many runs of elements move, where the picture is of what moves. */
  frames?: number | null;
}

export interface PlaceAnswer {
  index: Int[] | null;
  offset: Int | null;
  padding: boolean;
  byte: Int | null;
  bit: Int | null;
  element_bits: number | null;
  levels: { sizes: Int[]; coordinate: Int[] }[];
  terms: { text: string; dim: number | null; value: Int }[];
  sum: string | null;
}

export interface Comparison {
  same: boolean;
  same_offsets: boolean;
  first_difference: { index: Int[]; offsets: [Int, Int] } | null;
  reason: string | null;
}

export interface BitcastAnswer {
  bitcast: boolean;
  kind: string | null;
  permutation: number[] | null;
  steps?: { transpose: number[]; reshape: number[]; then_transpose: number[] };
  reason: string | null;
}

export interface Planned {
  route: string;
  bytes_read: Int;
  bytes_written: Int;
  padding_slots: Int;
  refilled_slots: Int;
  overwritten_slots: Int;
  chunks: Int;
  chunk_bytes: Int;
  follows_source: boolean;
  stores: string;
  registers: string;
  boxes: {
    elements: Int;
    kernel: string;
    unit_bits: number;
    loops: { extent: Int; source_stride_bits: Int; destination_stride_bits: Int; part: string }[];
  }[];
}

export interface TextAnswer {
  text: string;
}

export interface Explained {
  text: string | null;
  steps: string[];
}

export interface OnChip {
  chip: string;
  text: string;
  bytes: Int;
}

export interface Format {
  text: string;
  bytes: Int;
  padding_bytes: Int;
  moves_bytes: Int;
  bitcast: boolean;
  reason: string;
}

export interface Size {
  count: number;
  bytes: Int;
  logical_bytes: Int;
  padding_bytes: Int;
}

export interface Movement {
  name: string;
  from: string;
  to: string;
  bytes_read: Int;
  bytes_written: Int;
  kind: string;
  op: string;
  line: number;
}

export interface Report {
  module: string | null;
  totals: {
    parameters: Size;
    outputs: Size;
    buffers: Size;
    relayouts: { count: number; bytes_read: Int; bytes_written: Int };
    copies: { count: number; bytes_read: Int; bytes_written: Int };
    bitcasts: { count: number; confirmed: number; refused: number; undecided: number };
  };
  buffers: {
    name: string;
    text: string;
    bytes: Int;
    logical_bytes: Int;
    padding_bytes: Int;
    op: string;
    line: number;
  }[];
  relayouts: Movement[];
  copies: Movement[];
  bitcasts: { name: string; from: string; to: string; holds: boolean | null; kind: string | null; reason: string | null; line: number }[];
  out_of_memory: { memory: string; used: string; capacity: string } | null;
  /** Of a scheduled module. */
  peak?: Peak[];
  timeline?: Timeline[];
}

/** A buffer that is in memory at some time. */
export interface Alive {
  name: string;
  text: string;
  bytes: Int;
  padding_bytes: Int;
  op: string;
  source: string | null;
  op_name: string | null;
  layer?: string;
  line: number;
}

export interface Peak {
  space: string;
  bytes: Int;
  at: string;
  alive: Alive[];
}

/** What the temporaries of a memory space take over the schedule. Times are those of instructions. */
export interface Timeline {
  space: string;
  instructions: number;
  steps: [number, Int][];
  lives: (Alive & { from: number; to: number })[];
}

/** A format of a parameter, and what it comes to. */
export interface Assigned {
  text?: string;
  bytes: Int;
  padding_bytes: Int;
  moved_bytes: Int;
}

export interface Assignment {
  parameters: { name: string; module: Assigned; best: Assigned; uses_as_is: number; uses_moved: number }[];
  totals: { module: Assigned; best: Assigned };
}

export type Question = { ask: string } & Record<string, unknown>;

/** The replies to some questions, in their order. Whatever happens, there is a reply to each. */
export async function ask(questions: Question[]): Promise<Reply<never>[]> {
  const all = (message: string) => questions.map(() => ({ error: { message } }));
  try {
    const reply = parse(await answer(write(questions)));
    if (Array.isArray(reply)) return reply as Reply<never>[];
    return all((reply as Reply<never> | null)?.error?.message ?? 'the host gives no answer');
  } catch (error) {
    // One of several questions found it: the others have answers.
    if (error instanceof Mistake && questions.length > 1) return each(questions);
    return all(error instanceof NoAnswer ? error.message : 'the host says what is no answer');
  }
}

async function each(questions: Question[]): Promise<Reply<never>[]> {
  const replies: Reply<never>[] = [];
  for (const question of questions) replies.push(...(await ask([question])));
  return replies;
}
