// The page: its header, its views, and the address that holds what they show.

import './explorer.css';
import { render } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { AlgebraView } from './algebra';
import type { Drawn } from './ask';
import { CodeView } from './code';
import { CompareView } from './compare';
import { useArrivals, useDumps } from './dump';
import { Header, Keys, NAMES } from './header';
import { HloView } from './hlo';
import { LayoutView } from './layout';
import { type State, VIEWS, fragment, read } from './state';
import { Title } from './title';
import { TpuView } from './tpu';

type Set = (change: Partial<State>, enter?: boolean) => void;

function Page() {
  const [state, set] = useAddress();
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const [titled, setTitled] = useState(false);
  const dumps = useDumps();
  const keys = useRef<HTMLDialogElement>(null);
  const over = useArrivals({
    onFile: (file) => {
      set({ view: 'hlo' }, true);
      void dumps.open(file);
    },
    onDump: (text) => {
      set({ view: 'hlo' }, true);
      dumps.type(text);
    },
    onLine: (text) => set(state.view === 'algebra' ? { x: text } : { ...(state.view === 'hlo' && { view: 'layout' }), l: text, at: '', step: null, frame: null }, true),
  });
  useKeys(set, () => keys.current?.showModal());
  useEffect(() => {
    const what = state.title || (state.view === 'layout' ? state.l : NAMES[state.view]);
    document.title = `${what} · Tilewright`;
  }, [state]);
  const props = { state, set, onDrawn: setDrawn };

  return (
    <>
      <Header state={state} set={set} drawn={drawn} onTitle={() => setTitled(true)} onKeys={() => keys.current?.showModal()} />
      <main class={over ? 'over' : undefined}>
        <Title title={state.title} open={titled} onType={(title) => set({ title })} onLeave={() => setTitled(false)} />
        <div id="view" role="tabpanel" aria-labelledby={`tab-${state.view}`}>
          {state.view === 'layout' && <LayoutView {...props} />}
          {state.view === 'compare' && <CompareView {...props} />}
          {state.view === 'algebra' && <AlgebraView {...props} />}
          {state.view === 'tpu' && <TpuView {...props} />}
          {state.view === 'code' && <CodeView {...props} />}
          {state.view === 'hlo' && <HloView {...props} dumps={dumps} />}
        </div>
      </main>
      <Keys dialog={keys} />
    </>
  );
}

/** What is shown, in step with the address. */
function useAddress(): [State, Set] {
  const [state, setState] = useState<State>(() => read(location.hash));
  const latest = useRef(state);
  latest.current = state;
  const set = useCallback((change: Partial<State>, enter = false) => {
    const next = { ...latest.current, ...change };
    latest.current = next;
    setState(next);
    const address = fragment(next);
    const entered: unknown = history.state;
    if (!enter || entered === address) {
      history.replaceState(entered, '', address);
      return;
    }
    // While it was typed it took the place of what was entered before: that comes back, and it follows.
    if (typeof entered === 'string') history.replaceState(entered, '', entered);
    history.pushState(address, '', address);
  }, []);
  useEffect(() => {
    history.replaceState(fragment(latest.current), '', location.hash || '#');
    const back = () => setState((latest.current = read(location.hash)));
    addEventListener('popstate', back);
    addEventListener('hashchange', back);
    return () => {
      removeEventListener('popstate', back);
      removeEventListener('hashchange', back);
    };
  }, []);
  return [state, set];
}

/** The keys of the whole page, where nobody types. */
function useKeys(set: Set, onHelp: () => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (isTyping || document.querySelector('dialog[open]') || event.ctrlKey || event.metaKey || event.altKey) return;
      const view = VIEWS[Number(event.key) - 1];
      if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('.editor-input, .dump')?.focus();
      } else if (event.key === '?') onHelp();
      else if (view) set({ view }, true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

const root = document.getElementById('explorer');
if (root) render(<Page />, root);
