// What a layout takes, and how it is written otherwise.

import type { Reply, Shown, TextAnswer } from './ask';
import type { Int } from './json';
import { Row } from './place';
import { bytes, percent } from './words';

export const NOTATIONS = [
  ['xla', 'XLA'],
  ['tla', 'shape : stride : original'],
  ['cute', 'shape : stride'],
  ['onednn', 'oneDNN'],
  ['numpy', 'numpy'],
  ['mlir', 'MLIR'],
] as const;

export function Sizes({ shown, stale }: { shown: Shown | undefined; stale: boolean }) {
  if (!shown) return null;
  const { bytes: all, logical_bytes: data, padding_bytes: padding } = shown;
  return (
    <section class={`card sizes${stale ? ' stale' : ''}`} aria-label="sizes">
      <h2>Sizes</h2>
      {all !== null && data !== null && padding !== null && (
        <>
          <Share data={data} all={all} />
          <p>
            <strong>{bytes(all)}</strong>: {bytes(data)} of data, {bytes(padding)} of padding ({percent(padding, all)})
          </p>
        </>
      )}
      <dl>
        <Row name="elements" value={shown.elements} />
        <Row name="room for" value={shown.allocation_elements} />
        {shown.physical_dims && (
          <div>
            <dt>physical dims</dt>
            <dd>{shown.physical_dims.join(' × ')}</dd>
          </div>
        )}
        {shown.xla_bytes !== null && shown.xla_bytes !== all && <Row name="bytes by XLA’s count" value={shown.xla_bytes} />}
      </dl>
      {shown.index_expression && <p class="mono small expression">{shown.index_expression}</p>}
      {shown.leaves?.map((leaf, n) => <p key={n} class="mono small">{leaf.text}{leaf.bytes !== null && `: ${bytes(leaf.bytes)}`}</p>)}
    </section>
  );
}

/** How much of memory is data. */
export function Share({ data, all }: { data: Int; all: Int }) {
  const share = Number(all) === 0 ? 0 : Math.max(0, Math.min(1, Number(data) / Number(all)));
  return (
    <svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={`${percent(data, all)} data`}>
      <rect class="share-padding" width="100" height="6" />
      <rect class="share-data" width={100 * share} height="6" />
    </svg>
  );
}

interface WrittenProps {
  written: { notations: Reply<TextAnswer>[]; of: Shown } | undefined;
  stale: boolean;
  current: string;
  onOpen: (text: string) => void;
}

export function Written({ written, stale, current, onOpen }: WrittenProps) {
  if (!written) return null;
  return (
    <section class={`card written${stale ? ' stale' : ''}`} aria-label="other notations">
      <h2>Also written</h2>
      <dl>
        {NOTATIONS.map(([notation, name], n) => {
          const reply = written.notations[n];
          const text = reply?.answer?.text;
          const whole = text && typed(notation, text, written.of);
          return (
            <div key={notation}>
              <dt>{name}</dt>
              <dd>
                {whole && whole !== current ? (
                  <button type="button" class="open mono" title="open as the layout" onClick={() => onOpen(whole)}>{text}</button>
                ) : text ? (
                  <span class="mono">{text}</span>
                ) : (
                  <span class="soft">{reply?.error?.message}</span>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

/** The text with the type, and the dimensions, that its notation leaves to be said elsewhere. */
function typed(notation: (typeof NOTATIONS)[number][0], text: string, { element_type: type, dims }: Shown): string | null {
  if (notation === 'xla') return text;
  if (notation === 'tla' || notation === 'cute') return type ? `${type} ${text.replace(`${type} `, '')}` : text;
  return notation === 'onednn' && type && dims ? `${type}[${dims.join(',')}] ${text}` : null;
}
