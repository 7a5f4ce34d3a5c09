// Two layouts: whether they are the same, whether memory can stay as it is, and what a relayout does.

import { useMemo, useState } from 'preact/hooks';
import type { BitcastAnswer, Comparison, Drawn, Pieces, Planned, Question, Reply, Spot } from './ask';
import { Editor } from './editor';
import { useAnswers, useLastGood, useRested, useTheme } from './hooks';
import type { ViewProps } from './layout';
import { Picture, type Pointed } from './picture';
import { Stepper } from './stepper';
import { bytes, count, index } from './words';

/** So many boxes of a plan are listed. */
const BOXES = 8;

export function CompareView({ state, set, onDrawn }: ViewProps) {
  const theme = useTheme();
  const [pointed, setPointed] = useState<Pointed>(null);
  const questions: Question[] = [
    { ask: 'read', text: state.l },
    { ask: 'read', text: state.b },
    { ask: 'same', a: state.l, b: state.b },
    { ask: 'bitcast', a: state.l, b: state.b },
    {
      ask: 'draw',
      layout: state.l,
      other: state.b,
      color: state.by,
      theme,
      ...(state.moves && { moves: true }),
      ...(state.moves && state.frame !== null && { frame: state.frame }),
    },
    { ask: 'plan', from: state.l, to: state.b },
  ];
  const { replies, current } = useAnswers(questions);
  const [one, two, same, bitcast, drawn, plan] = replies as unknown as [
    Reply<Pieces>,
    Reply<Pieces>,
    Reply<Comparison>,
    Reply<BitcastAnswer>,
    Reply<Drawn>,
    Reply<Planned>,
  ];
  const picture = useLastGood(drawn?.answer);
  useMemo(() => onDrawn(picture ?? null), [picture]);
  const spot = pointed === null ? undefined : picture?.spots[pointed];
  const spoken = useRested(spot?.says ?? '');
  const areTexts = !one?.answer?.error && !two?.answer?.error;
  const first = same?.answer?.first_difference;
  const show = () => {
    const n = picture?.spots.findIndex(({ index }) => String(index) === String(first?.index)) ?? -1;
    if (n >= 0) setPointed(n);
  };

  return (
    <div class="view compare-view">
      <div class="top pair">
        <Editor label="layout" text={state.l} onType={(l) => set({ l, frame: null })} onEnter={(l) => set({ l }, true)}
          pieces={one?.answer?.pieces ?? []} error={one?.answer?.error ?? one?.error} current={current} completes />
        <button type="button" class="swap" aria-label="exchange the two" title="exchange the two"
          onClick={() => set({ l: state.b, b: state.l, frame: null }, true)}>⇄</button>
        <Editor label="other layout" text={state.b} onType={(b) => set({ b, frame: null })} onEnter={(b) => set({ b }, true)}
          pieces={two?.answer?.pieces ?? []} error={two?.answer?.error ?? two?.error} current={current} completes />
      </div>
      <div class={`verdicts${current && areTexts ? '' : ' stale'}`}>
        <Verdict name="same placement" holds={same?.answer?.same} says={same?.answer?.reason ?? same?.error?.message ?? 'every element lies at the same offset, in memory of the same size'}>
          {first && <button type="button" class="small-button" onClick={show}>show {index(first.index)}</button>}
        </Verdict>
        <Verdict name="bitcast" holds={bitcast?.answer?.bitcast} says={castWords(bitcast)} />
        <Verdict
          name="relayout"
          holds={undefined}
          says={
            plan?.answer
              ? `reads ${bytes(plan.answer.bytes_read)}, writes ${bytes(plan.answer.bytes_written)}`
              : (plan?.error?.message ?? '')
          }
        />
      </div>
      <section class="main" aria-label="picture">
        <div class="toolbar" role="group" aria-label="how it is drawn">
          <label class="check">
            <input type="checkbox" checked={state.moves} onChange={(event) => set({ moves: event.currentTarget.checked, frame: null }, true)} />{' '}
            what a relayout moves
          </label>
          {state.moves && <Moves frames={picture?.frames} frame={state.frame} ready={current && drawn?.answer !== undefined} onFrame={(frame) => set({ frame })} />}
        </div>
        {drawn?.error && current && areTexts && <p class="note wrong-note" role="status">{drawn.error.message}</p>}
        <Picture drawn={picture} stale={!drawn?.answer} pointed={pointed} onPoint={(n) => n !== pointed && setPointed(n)}
          onKeep={setPointed} lit={(other) => isSame(spot, other)} label={`${picture?.title ?? 'two layouts'}: ${picture?.subtitle ?? ''}`} />
      </section>
      {plan?.answer && <PlanTable plan={plan.answer} />}
      <p class="sheet" aria-hidden="true">{spot?.says ?? 'point at a cell'}</p>
      <p class="unseen" role="status" aria-live="polite">{spoken}</p>
    </div>
  );
}

interface MovesProps {
  frames: number | null | undefined;
  frame: number | null;
  ready: boolean;
  onFrame: (frame: number | null) => void;
}

/** One run of elements after another, where the picture can show them so. */
function Moves({ frames, frame, ready, onFrame }: MovesProps) {
  if (!frames) return null;
  const says = (frame: number | null) => frame === null ? `all of ${count(frames)} runs` : `run ${count(frame + 1)} of ${count(frames)}`;
  return <Stepper label="run" value={frame} count={frames} says={says} ready={ready} plays onChange={onFrame} />;
}

/** By its index an element is known on both sides. */
const isSame = (one: Spot | undefined, other: Spot) =>
  one?.index !== undefined && one.index.length > 0 && String(one.index) === String(other.index);

function castWords(reply: Reply<BitcastAnswer> | undefined): string {
  const answer = reply?.answer;
  if (!answer) return reply?.error?.message ?? '';
  const how = answer.permutation ? ` by ${index(answer.permutation)}` : '';
  return answer.bitcast ? `memory stays as it is: ${answer.kind}${how}` : (answer.reason ?? '');
}

function Verdict(props: { name: string; holds: boolean | undefined; says: string; children?: preact.ComponentChildren }) {
  const word = props.holds === undefined ? '' : props.holds ? 'yes' : 'no';
  return (
    <section class={`card verdict ${word}`}>
      <h2>
        {props.name} {word && <span class={`badge ${word}`}>{word}</span>}
      </h2>
      <p>{props.says} {props.children}</p>
    </section>
  );
}

function PlanTable({ plan }: { plan: Planned }) {
  const boxes = plan.boxes.slice(0, BOXES);
  return (
    <section class="card" aria-label="plan">
      <h2>How it goes</h2>
      <p>
        {plan.route === 'copy' ? 'copied as it is' : `by ${plan.route}`}, {count(plan.chunks)} {plan.chunks === 1 ? 'chunk' : 'chunks'} of{' '}
        {bytes(plan.chunk_bytes)}, {plan.stores} stores
        {plan.padding_slots > 0 && <>, {count(plan.padding_slots)} places of padding filled</>}
      </p>
      {boxes.length > 0 && (
        <div class="scrolls">
          <table class="data">
            <thead>
              <tr>
                <th class="number">elements</th>
                <th>kernel</th>
                <th class="number">unit</th>
                <th>loops, outermost first</th>
              </tr>
            </thead>
            <tbody>
              {boxes.map((box, n) => (
                <tr key={n}>
                  <td class="number">{count(box.elements)}</td>
                  <td>{box.kernel}</td>
                  <td class="number">{box.unit_bits} bits</td>
                  <td class="mono small">{box.loops.map((loop) => loop.extent).join(' × ') || 'none'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {plan.boxes.length > BOXES && <p class="soft">and {count(plan.boxes.length - BOXES)} more boxes</p>}
    </section>
  );
}
