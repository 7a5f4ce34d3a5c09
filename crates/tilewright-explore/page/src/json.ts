// JSON whose integers keep every digit.
//
// A `number` is exact to 2^53, and an answer has offsets and bytes to 2^63. An integer beyond what is safe
// is a `bigint` here, read from the digits that stand in the text and written as the same digits.

/** A count, an offset or a size; a `bigint` where a `number` would not be exact. */
export type Int = number | bigint;

/** What a reviver is told beside the value, by browsers that know the digits. */
interface Context {
  source?: string;
}

/** The value that a text says. */
export function parse(text: string): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: Context) => {
    const isExact = typeof value !== 'number' || Number.isSafeInteger(value);
    return !isExact && context?.source && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
  });
}

/** The text that says a value. */
export function write(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part !== 'bigint' ? part : rawJSON ? rawJSON(String(part)) : Number(part));
}

/** The integer that some digits say. */
export function integer(digits: string): Int {
  const near = Number(digits);
  return Number.isSafeInteger(near) ? near : BigInt(digits);
}
