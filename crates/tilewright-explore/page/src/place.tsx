// One place: where it is said, and the byte that one goes to.

import { useEffect, useRef, useState } from 'preact/hooks';
import { type PlaceAnswer, type Reply, ask } from './ask';
import { type Int, integer } from './json';
import { count, index } from './words';

/** A place in one line. */
export function placeWords(place: PlaceAnswer): string {
  const where = place.index ? index(place.index) : '';
  if (place.offset === null) return `${where} lies nowhere`;
  const byte = place.byte === null ? '' : `, byte ${place.byte}`;
  return `${where} → offset ${place.offset}${byte}${place.padding ? ', padding' : ''}`;
}

interface CardProps {
  place: PlaceAnswer | undefined;
  /** What there is to say without a place. */
  says: string | undefined;
  layout: string;
  /** Keeps the place of a byte. */
  onGo: (at: string) => void;
}

export function PlaceCard({ place, says, layout, onGo }: CardProps) {
  return (
    <section class="card place" aria-label="place">
      <h2>
        Place {place?.index && <span class="mono">{index(place.index)}</span>}
        {place?.padding && <span class="badge hatched">padding</span>}
      </h2>
      {place ? <Where place={place} /> : (
        <p class="soft">{says ?? 'Point at a cell, or go from cell to cell with the arrow keys. A click keeps the place in the link.'}</p>
      )}
      {place && <Sum place={place} />}
      <GoToByte layout={layout} onGo={onGo} />
    </section>
  );
}

function Where({ place }: { place: PlaceAnswer }) {
  return (
    <dl>
      {place.levels.length > 1 && place.levels.map((level, n) => (
        <div key={n}>
          <dt>{n === place.levels.length - 1 ? 'in it' : `tile of ${level.sizes.join(' × ')}`}</dt>
          <dd>{index(level.coordinate)}</dd>
        </div>
      ))}
      <Row name="offset" value={place.offset} />
      <Row name="byte" value={place.byte} />
      {place.element_bits !== null && place.element_bits % 8 !== 0 && <Row name="bit" value={place.bit} />}
    </dl>
  );
}

function Sum({ place }: { place: PlaceAnswer }) {
  if (place.terms.length === 0) return place.sum ? <p class="mono small">{place.sum}</p> : null;
  return (
    <table class="sum">
      <caption>the offset is the sum of</caption>
      <tbody>
        {place.terms.map((term) => (
          <tr key={term.text}>
            <td>{term.text}</td>
            <td>{count(term.value)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td />
          <td>{place.offset === null ? '' : count(place.offset)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

export function Row({ name, value }: { name: string; value: Int | null }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{count(value)}</dd>
    </div>
  );
}

/** A field for a byte: what lies there is pointed out and said. */
function GoToByte({ layout, onGo }: { layout: string; onGo: (at: string) => void }) {
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState('');
  const turn = useRef(0);
  const reset = () => {
    turn.current += 1;
    setTyped('');
    setSaid('');
  };
  useEffect(reset, [layout]);

  const go = async (text: string) => {
    setTyped(text);
    const mine = ++turn.current;
    const digits = text.replace(/[\s_]/g, '');
    const found = /^\d{1,19}$/.test(digits) ? await atByte(layout, integer(digits)) : { says: text && 'a byte is a number' };
    if (mine !== turn.current) return;
    setSaid(found.says);
    if ('at' in found) onGo(found.at);
  };
  return (
    <div class="go">
      <label>
        go to byte{' '}
        <input inputMode="numeric" size={12} value={typed} onInput={(event) => void go(event.currentTarget.value)} />
      </label>
      <p class="small soft" role="status">{said}</p>
    </div>
  );
}

/** What lies at a byte: in words, and as an index if it has one. */
async function atByte(layout: string, byte: Int): Promise<{ says: string; at?: string }> {
  const [reply] = (await ask([{ ask: 'place', layout, byte }])) as Reply<PlaceAnswer>[];
  const place = reply?.answer;
  if (!place) return { says: reply?.error?.message ?? '' };
  const at = place.index?.join(',');
  const whose = place.index ? index(place.index) : 'no index';
  const says = place.padding ? `padding: ${whose} is beyond the array` : `${part(place, byte)}${whose}`;
  return at === undefined ? { says } : { says, at };
}

/** Which of the bytes of its element it is, where that has several. */
function part({ byte: start, element_bits: bits }: PlaceAnswer, byte: Int): string {
  if (start === null || bits === null || bits <= 8) return '';
  return `byte ${Number(BigInt(byte) - BigInt(start)) + 1} of the ${bits / 8} of `;
}
