// Questions to the host, and what its answers look like.
//
// Everything that is known of layouts is on the other side of `POST /ask`.

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
  dims: (number | null)[] | null;
  physical_dims: number[] | null;
  elements: number | null;
  allocation_elements: number | null;
  bytes: number | null;
  logical_bytes: number | null;
  xla_bytes: number | null;
  padding_bytes: number | null;
  index_expression: string | null;
  leaves?: Shown[];
}

export interface Spot {
  /** Left, top, width and height in the picture. */
  area: [number, number, number, number];
  offset: number | null;
  says: string;
}

export interface Drawn {
  title: string;
  subtitle: string;
  svg: string;
  spots: Spot[];
}

export interface PlaceAnswer {
  index: number[] | null;
  offset: number | null;
  padding: boolean;
  byte: number | null;
  bit: number | null;
  element_bits: number | null;
  levels: { sizes: number[]; coordinate: number[] }[];
  terms: { text: string; dim: number | null; value: number }[];
  sum: string | null;
}

export interface Comparison {
  same: boolean;
  same_offsets: boolean;
  first_difference: { index: number[]; offsets: [number, number] } | null;
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
  bytes_read: number;
  bytes_written: number;
  padding_slots: number;
  chunks: number;
  chunk_bytes: number;
  follows_source: boolean;
  stores: string;
  registers: string;
  boxes: {
    elements: number;
    kernel: string;
    unit_bits: number;
    loops: { extent: number; source_stride_bits: number; destination_stride_bits: number; part: string }[];
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
  bytes: number;
}

export interface Format {
  text: string;
  bytes: number;
  padding_bytes: number;
  moves_bytes: number;
  bitcast: boolean;
  reason: string;
}

export interface Size {
  count: number;
  bytes: number;
  logical_bytes: number;
  padding_bytes: number;
}

export interface Movement {
  name: string;
  from: string;
  to: string;
  bytes_read: number;
  bytes_written: number;
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
    relayouts: { count: number; bytes_read: number; bytes_written: number };
    copies: { count: number; bytes_read: number; bytes_written: number };
    bitcasts: { count: number; confirmed: number; refused: number; undecided: number };
  };
  buffers: {
    name: string;
    text: string;
    bytes: number;
    logical_bytes: number;
    padding_bytes: number;
    op: string;
    line: number;
  }[];
  relayouts: Movement[];
  copies: Movement[];
  bitcasts: { name: string; from: string; to: string; holds: boolean | null; kind: string | null; reason: string | null; line: number }[];
  out_of_memory: { memory: string; used: string; capacity: string } | null;
}

export type Question = { ask: string } & Record<string, unknown>;

/** What is said where no host answers any more. */
export const GONE = 'the host does not answer: is `tilewright explore` still running?';

/** The replies to some questions, in their order. Whatever happens, there is a reply to each. */
export async function ask(questions: Question[]): Promise<Reply<never>[]> {
  const all = (message: string) => questions.map(() => ({ error: { message } }));
  try {
    const response = await fetch('/ask', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(questions),
    });
    const reply: unknown = await response.json();
    if (Array.isArray(reply)) return reply as Reply<never>[];
    return all((reply as Reply<never>).error?.message ?? `the host says ${response.status}`);
  } catch {
    return all(GONE);
  }
}
