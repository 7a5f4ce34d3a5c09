// What the TPU generations do with an array, and what else it could be there.

import { useMemo } from 'preact/hooks';
import type { Format, OnChip, Pieces, Question, Reply, Shown } from './ask';
import { Editor } from './editor';
import { useAnswers, useLastGood } from './hooks';
import type { ViewProps } from './layout';
import { Share } from './sizes';
import { bytes, percent } from './words';

export function TpuView({ state, set, onDrawn }: ViewProps) {
  useMemo(() => onDrawn(null), []);
  const questions: Question[] = [
    { ask: 'read', text: state.l },
    { ask: 'show', layout: state.l },
    { ask: 'tpu', shape: state.l },
    { ask: 'formats', shape: state.l, chip: state.chip },
  ];
  const { replies, current } = useAnswers(questions);
  const [read, shown, tpu, formats] = replies as unknown as [Reply<Pieces>, Reply<Shown>, Reply<OnChip[]>, Reply<Format[]>];
  const good = useLastGood(tpu?.answer && shown?.answer ? { tpu: tpu.answer, shown: shown.answer } : undefined);
  const list = useLastGood(formats?.answer);
  const stale = current && !tpu?.answer ? ' stale' : '';
  const open = (l: string) => set({ view: 'layout', l, at: '', step: null }, true);

  return (
    <div class="view tpu-view">
      <div class="top">
        <Editor label="array" text={state.l} onType={(l) => set({ l })} onEnter={(l) => set({ l }, true)}
          pieces={read?.answer?.pieces ?? []} error={read?.answer?.error ?? read?.error} current={current} completes />
        {current && !read?.answer?.error && tpu?.error && <p class="note wrong-note" role="status">{tpu.error.message}</p>}
      </div>
      {good && (
        <section class={`card${stale}`} aria-label="generations">
          <h2>What each generation’s compiler gives it</h2>
          <div class="scrolls">
            <table class="data">
              <thead>
                <tr>
                  <th>TPU</th>
                  <th>format</th>
                  <th class="number">on the device</th>
                  <th class="number">padding</th>
                  <th class="bar">data</th>
                </tr>
              </thead>
              <tbody>
                {good.tpu.map((on) => {
                  const data = good.shown.logical_bytes ?? on.bytes;
                  return (
                    <tr key={on.chip} class={on.chip === state.chip ? 'chosen' : undefined}>
                      <td>
                        <button type="button" class="chip" aria-pressed={on.chip === state.chip} onClick={() => set({ chip: on.chip }, true)}>
                          {on.chip}
                        </button>
                      </td>
                      <td><button type="button" class="open mono" onClick={() => open(on.text)}>{on.text}</button></td>
                      <td class="number">{bytes(on.bytes)}</td>
                      <td class="number">{percent(Number(on.bytes) - Number(data), on.bytes)}</td>
                      <td class="bar"><Share data={data} all={on.bytes} /></td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {formats?.error && current && tpu?.answer && <p class="note wrong-note" role="status">{formats.error.message}</p>}
      {list && (
        <section class={`card${stale}`} aria-label="formats">
          <h2>What it could be on {state.chip}, the best first</h2>
          <div class="scrolls">
            <table class="data">
              <thead>
                <tr>
                  <th>format</th>
                  <th class="number">takes</th>
                  <th class="number">padding</th>
                  <th class="number">a relayout moves</th>
                  <th>what the tile pads</th>
                </tr>
              </thead>
              <tbody>
                {list.map((format) => (
                  <tr key={format.text}>
                    <td><button type="button" class="open mono" onClick={() => open(format.text)}>{format.text}</button></td>
                    <td class="number">{bytes(format.bytes)}</td>
                    <td class="number">{percent(format.padding_bytes, format.bytes)}</td>
                    <td class="number">{format.bitcast ? 'nothing' : bytes(format.moves_bytes)}</td>
                    <td class="reason">{format.reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </div>
  );
}
