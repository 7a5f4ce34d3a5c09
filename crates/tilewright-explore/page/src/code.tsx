// A layout, or the way from one to another, as source code.

import { useEffect, useState } from 'preact/hooks';
import type { Pieces, Question, Reply, TextAnswer } from './ask';
import { Editor } from './editor';
import { useAnswers, useLastGood } from './hooks';
import type { ViewProps } from './layout';
import { LANGUAGES, type Language } from './state';

/** What a language is called. */
const CALLED: Record<Language, string> = {
  c: 'C', cuda: 'CUDA', opencl: 'OpenCL C', rust: 'Rust', python: 'Python', triton: 'Triton', wgsl: 'WGSL', mlir: 'MLIR', cute: 'CuTe',
};

/** For so many milliseconds it is said that the text was copied. */
const SAID = 2000;

export function CodeView({ state, set, onDrawn }: ViewProps) {
  const questions: Question[] = [
    { ask: 'emit', lang: state.lang, layout: state.l, ...(state.pair && { to: state.b }) },
    { ask: 'read', text: state.l },
    ...(state.pair ? [{ ask: 'read', text: state.b }] : []),
  ];
  const { replies, current } = useAnswers(questions);
  const [code, one, two] = replies as unknown as [Reply<TextAnswer>, Reply<Pieces>, Reply<Pieces> | undefined];
  const text = useLastGood(code?.answer?.text);
  const isStale = current && !code?.answer;
  const areTexts = !one?.answer?.error && !two?.answer?.error;
  // There is no picture to be saved.
  useEffect(() => onDrawn(null), []);
  return (
    <div class="view code-view">
      <div class={`top${state.pair ? ' pair' : ''}`}>
        <Editor label="layout" text={state.l} onType={(l) => set({ l })} onEnter={(l) => set({ l }, true)}
          pieces={one?.answer?.pieces ?? []} error={one?.answer?.error ?? one?.error} current={current} completes />
        {state.pair && (
          <>
            <button type="button" class="swap" aria-label="exchange the two" title="exchange the two"
              onClick={() => set({ l: state.b, b: state.l }, true)}>⇄</button>
            <Editor label="other layout" text={state.b} onType={(b) => set({ b })} onEnter={(b) => set({ b }, true)}
              pieces={two?.answer?.pieces ?? []} error={two?.answer?.error ?? two?.error} current={current} completes />
          </>
        )}
      </div>
      <section class="main" aria-label="code">
        <div class="toolbar" role="group" aria-label="what is written">
          <label>
            language{' '}
            <select value={state.lang} onChange={(event) => set({ lang: event.currentTarget.value as Language }, true)}>
              {LANGUAGES.map((lang) => <option key={lang} value={lang}>{CALLED[lang]}</option>)}
            </select>
          </label>
          <label class="check">
            <input type="checkbox" checked={state.pair} onChange={(event) => set({ pair: event.currentTarget.checked }, true)} />{' '}
            relayout to another layout
          </label>
          <Copy text={isStale ? undefined : text} />
        </div>
        {code?.error && current && areTexts && <p class="note wrong-note" role="status">{code.error.message}</p>}
        {current && code?.notes?.map((note) => <p class="note" key={note}>{note}</p>)}
        {text !== undefined && <pre class={`code mono${isStale ? ' stale' : ''}`} tabIndex={0} aria-label={`${CALLED[state.lang]} code`}>{text}</pre>}
      </section>
    </div>
  );
}

/** Puts a text on the clipboard, and says so for a while. */
function Copy({ text }: { text: string | undefined }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text ?? '');
      setSaid('copied');
    } catch {
      setSaid('the browser lets nobody write to the clipboard');
    }
    setTimeout(() => setSaid(''), SAID);
  };
  return (
    <>
      <button type="button" class="small-button" disabled={text === undefined} onClick={() => void copy()}>copy</button>
      <span class="soft" role="status">{said}</span>
    </>
  );
}
