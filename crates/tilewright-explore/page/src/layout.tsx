// One layout: what it says, what it looks like, and what is at a place of it.

import { useMemo, useState } from 'preact/hooks';
import type { Drawn, PlaceAnswer, Pieces, Question, Reply, Shown, TextAnswer } from './ask';
import { Editor, Meaning } from './editor';
import { useAnswers, useLastGood, useMedia, useRested, useTheme } from './hooks';
import { Picture, type Pointed } from './picture';
import type { State } from './state';
import { bytes, count, index, percent } from './words';

export interface ViewProps {
  state: State;
  /** Changes what is shown; `enter` makes it a step that one can go back from. */
  set: (change: Partial<State>, enter?: boolean) => void;
  /** The picture that can be saved. */
  onDrawn: (drawn: Drawn | null) => void;
}

const NOTATIONS = [
  ['xla', 'XLA'],
  ['tla', 'shape : stride : original'],
  ['cute', 'shape : stride'],
  ['onednn', 'oneDNN'],
  ['numpy', 'numpy'],
  ['mlir', 'MLIR'],
] as const;

/** What one can colour by; the host says where that does not apply. */
const COLORINGS = [
  ['tile', 'tile'],
  ['dim', 'dimension'],
  ['offset:8', 'offset mod 8'],
  ['line', 'line of 64 bytes'],
  ['bank', 'bank'],
  ['thread', 'thread'],
] as const;

export function LayoutView({ state, set, onDrawn }: ViewProps) {
  const theme = useTheme();
  // Fewer columns where there is less room; what is left out is where nothing happens.
  const isNarrow = useMedia('(max-width: 600px)');
  const isWide = useMedia('(min-width: 1500px)');
  const columns = isNarrow ? 10 : isWide ? null : 18;
  const [pointed, setPointed] = useState<Pointed>(null);
  const [litPiece, setLitPiece] = useState<number | null>(null);
  const kept = /^\d+(,\d+)*$/.test(state.at) ? state.at.split(',').map(Number) : null;
  const draw: Question = {
    ask: 'draw',
    layout: state.l,
    color: state.by,
    unit: state.unit,
    direction: state.dir,
    steps: state.steps,
    theme,
    columns,
  };
  const questions: Question[] = [
    { ask: 'read', text: state.l },
    draw,
    { ask: 'show', layout: state.l },
    ...NOTATIONS.map(([notation]) => ({ ask: 'to', notation, layout: state.l })),
  ];
  const { replies, current, turn } = useAnswers(questions);
  const [read, drawn, shown, ...notations] = replies as unknown as [Reply<Pieces>, Reply<Drawn>, Reply<Shown>, ...Reply<TextAnswer>[]];
  const picture = useLastGood(drawn?.answer);
  useMemo(() => onDrawn(picture ?? null), [picture]);
  const lastShown = useLastGood(shown?.answer);
  const written = useLastGood(shown?.answer ? { notations, of: shown.answer } : undefined);
  const isWrong = turn > 0 && !drawn?.answer;

  const spot = pointed === null ? undefined : picture?.spots[pointed];
  const layout = useLastGood(current && drawn?.answer ? state.l : undefined) ?? state.l;
  const asked: Question[] =
    spot?.offset != null
      ? [{ ask: 'place', layout, offset: spot.offset }]
      : spot === undefined && kept && !isWrong
        ? [{ ask: 'place', layout, index: kept }]
        : [];
  const place = useAnswers(asked).replies[0] as Reply<PlaceAnswer> | undefined;
  const at = asked.length > 0 ? place?.answer : undefined;
  const spoken = useRested(at ? words(at) : (spot?.says ?? ''));

  const keep = (n: Pointed) => {
    const offset = n === null ? null : picture?.spots[n]?.offset;
    setPointed(n);
    if (n === null) set({ at: '' });
    else if (offset != null && at?.offset === offset && at.index) set({ at: at.index.join(',') }, true);
  };

  return (
    <div class="view layout-view">
      <div class="top">
        <Editor
          label="layout"
          text={state.l}
          onType={(l) => {
            setPointed(null);
            set({ l, at: '' });
          }}
          onEnter={(l) => set({ l }, true)}
          pieces={read?.answer?.pieces ?? []}
          error={read?.answer?.error ?? read?.error}
          current={current}
          completes
          lit={litPiece}
          placeholder="bf16[30,300]{1,0:T(8,128)(2,1)}"
        />
        {current && <Meaning text={state.l} pieces={read?.answer?.pieces ?? []} onPoint={setLitPiece} />}
        {current && read?.answer?.warnings.map((warning) => <p class="note" key={warning}>{warning}</p>)}
      </div>
      <div class="columns">
        <section class="main" aria-label="picture">
          <Toolbar state={state} set={set} />
          {drawn?.error && !read?.answer?.error && current && <p class="note wrong-note" role="status">{drawn.error.message}</p>}
          <Picture
            drawn={picture}
            stale={isWrong}
            pointed={pointed}
            onPoint={(n) => n !== pointed && setPointed(n)}
            onKeep={keep}
            lit={({ offset }) => offset !== null && offset === (at?.offset ?? spot?.offset)}
            label={`${picture?.title ?? 'layout'}: ${picture?.subtitle ?? ''}. Arrow keys go from cell to cell`}
          />
        </section>
        <aside class="side">
          <PlaceCard place={at} says={spot?.says} refusal={kept && asked.length > 0 ? place?.error?.message : undefined} />
          <Sizes shown={lastShown} stale={isWrong} />
          <Written written={written} stale={isWrong} current={state.l} onOpen={(l) => set({ l, at: '' }, true)} />
        </aside>
      </div>
      <p class="sheet" aria-hidden="true">{at ? words(at) : 'point at a cell'}</p>
      <p class="unseen" role="status" aria-live="polite">{spoken}</p>
    </div>
  );
}

function words(place: PlaceAnswer): string {
  const where = place.index ? index(place.index) : '';
  if (place.offset === null) return `${where} lies nowhere`;
  const byte = place.byte === null ? '' : `, byte ${place.byte}`;
  return `${where} → offset ${place.offset}${byte}${place.padding ? ', padding' : ''}`;
}

function Toolbar({ state, set }: Pick<ViewProps, 'state' | 'set'>) {
  const own = COLORINGS.some(([value]) => value === state.by);
  return (
    <div class="toolbar" role="group" aria-label="how it is drawn">
      <label>
        colour{' '}
        <select value={state.by} onChange={(event) => set({ by: event.currentTarget.value }, true)}>
          {COLORINGS.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
          {!own && <option value={state.by}>{state.by}</option>}
        </select>
      </label>
      <Choice label="count in" value={state.unit} values={['elements', 'bytes']} onChoose={(unit) => set({ unit }, true)} />
      <Choice
        label="from"
        value={state.dir}
        values={['offsets', 'memory']}
        names={{ offsets: 'index to offset', memory: 'memory to index' }}
        onChoose={(dir) => set({ dir }, true)}
      />
      <label class="check">
        <input type="checkbox" checked={state.steps} onChange={(event) => set({ steps: event.currentTarget.checked }, true)} />{' '}
        step by step
      </label>
    </div>
  );
}

function Choice<T extends string>(props: {
  label: string;
  value: T;
  values: T[];
  names?: Record<T, string>;
  onChoose: (value: T) => void;
}) {
  return (
    <span class="choice" role="group" aria-label={props.label}>
      {props.values.map((value) => (
        <button type="button" key={value} aria-pressed={value === props.value} onClick={() => props.onChoose(value)}>
          {props.names?.[value] ?? value}
        </button>
      ))}
    </span>
  );
}

function PlaceCard({ place, says, refusal }: { place: PlaceAnswer | undefined; says: string | undefined; refusal: string | undefined }) {
  return (
    <section class="card place" aria-label="place">
      <h2>
        Place {place?.index && <span class="mono">{index(place.index)}</span>}
        {place?.padding && <span class="badge hatched">padding</span>}
      </h2>
      {!place && <p class="soft">{refusal ?? says ?? 'Point at a cell, or go from cell to cell with the arrow keys. A click keeps the place in the link.'}</p>}
      {place && (
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
      )}
      {place?.terms && place.terms.length > 0 && (
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
      )}
      {place?.terms.length === 0 && place.sum && <p class="mono small">{place.sum}</p>}
    </section>
  );
}

function Row({ name, value }: { name: string; value: number | null }) {
  if (value === null) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{count(value)}</dd>
    </div>
  );
}

function Sizes({ shown, stale }: { shown: Shown | undefined; stale: boolean }) {
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
export function Share({ data, all }: { data: number; all: number }) {
  const share = all === 0 ? 0 : Math.max(0, Math.min(1, data / all));
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

function Written({ written, stale, current, onOpen }: WrittenProps) {
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
