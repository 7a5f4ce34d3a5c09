// Spans count bytes of UTF-8; texts here count in units of UTF-16.

const encoder = new TextEncoder();

/** How many bytes stand before a position of a text. */
export function bytesBefore(text: string, position: number): number {
  return encoder.encode(text.slice(0, position)).length;
}

/** The position in a text before which that many bytes stand. */
export function positionOf(text: string, bytes: number): number {
  let position = 0;
  for (let seen = 0; position < text.length && seen < bytes; ) {
    const sign = String.fromCodePoint(text.codePointAt(position)!);
    seen += encoder.encode(sign).length;
    position += sign.length;
  }
  return position;
}
