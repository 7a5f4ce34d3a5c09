// The layout algebra: an expression, what it comes to, and how.

import { useMemo, useState } from 'preact/hooks';
import type { Drawn, Explained, Question, Reply, TextAnswer } from './ask';
import { Editor } from './editor';
import { useAnswers, useLastGood, useRested, useTheme } from './hooks';
import type { ViewProps } from './layout';
import { Picture, type Pointed } from './picture';

export function AlgebraView({ state, set, onDrawn }: ViewProps) {
  const theme = useTheme();
  const [pointed, setPointed] = useState<Pointed>(null);
  const [wanted, setWanted] = useState('');
  const { replies, current } = useAnswers([
    { ask: 'calc', expression: state.x },
    { ask: 'explain', expression: state.x },
    { ask: 'operations' },
  ]);
  const [calc, explain, operations] = replies as unknown as [Reply<TextAnswer>, Reply<Explained>, Reply<{ operations: string[] }>];
  const result = useLastGood(calc?.answer?.text);
  const drawing: Question[] = result === undefined ? [] : [{ ask: 'draw', layout: result, theme }];
  const drawn = useAnswers(drawing).replies[0] as Reply<Drawn> | undefined;
  const picture = drawn?.answer;
  useMemo(() => onDrawn(picture ?? null), [picture]);
  const spot = pointed === null ? undefined : picture?.spots[pointed];
  const stale = current && !calc?.answer;
  const spoken = useRested(spot?.says ?? (calc?.answer?.text ?? ''));
  const list = (operations?.answer?.operations ?? []).filter((usage) => usage.includes(wanted.trim()));

  return (
    <div class="view algebra-view">
      <div class="top">
        <Editor label="expression" text={state.x} onType={(x) => set({ x })} onEnter={(x) => set({ x }, true)}
          error={calc?.error} current={current} />
      </div>
      <div class="columns">
        <div class="main">
          <section class={`card${stale ? ' stale' : ''}`} aria-label="outcome">
            <h2>Outcome</h2>
            {result !== undefined && <p class="outcome mono">{result}</p>}
            {picture && (
              <button type="button" class="small-button" onClick={() => set({ view: 'layout', l: result!, at: '', step: null }, true)}>
                open as the layout
              </button>
            )}
          </section>
          {explain?.answer && current && (
            <section class="card" aria-label="steps">
              <h2>Step by step</h2>
              <ul class="steps">
                {explain.answer.steps.map((step, n) => <li key={n}>{step}</li>)}
              </ul>
            </section>
          )}
          {picture && (
            <Picture drawn={picture} stale={stale} pointed={pointed} onPoint={(n) => n !== pointed && setPointed(n)}
              onKeep={setPointed} lit={({ offset }) => offset !== null && offset === spot?.offset} label={`${picture.title}: ${picture.subtitle}`} />
          )}
        </div>
        <aside class="side">
          <section class="card" aria-label="operations">
            <h2>Operations</h2>
            <input class="filter" type="search" aria-label="find an operation" placeholder="find an operation" value={wanted}
              onInput={(event) => setWanted(event.currentTarget.value)} />
            <ul class="operations">
              {list.map((usage) => (
                <li key={usage}>
                  <button type="button" class="open mono" onClick={() => set({ x: usage }, true)}>{usage}</button>
                </li>
              ))}
            </ul>
          </section>
        </aside>
      </div>
      <p class="unseen" role="status" aria-live="polite">{spoken}</p>
    </div>
  );
}
