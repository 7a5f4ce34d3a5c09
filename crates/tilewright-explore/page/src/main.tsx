// The page: its header, its views, and the address that holds what they show.

import './explorer.css';
import { render } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { AlgebraView } from './algebra';
import type { Drawn } from './ask';
import { CompareView } from './compare';
import { EXAMPLES } from './examples';
import { savePng, saveSvg } from './export';
import { type Dump, HloView } from './hlo';
import { LayoutView } from './layout';
import { type State, type View, VIEWS, fragment, link, read } from './state';
import { TpuView } from './tpu';

const NAMES: Record<View, string> = { layout: 'Layout', compare: 'Compare', algebra: 'Algebra', tpu: 'TPU', hlo: 'HLO' };

const KEYS = [
  ['/', 'to the layout'],
  ['↓ ↑', 'in the layout: how it could go on'],
  ['Enter', 'keep it as a step that “back” returns to'],
  ['arrows', 'in the picture: from cell to cell'],
  ['Home End', 'to the ends of a row'],
  ['Page ↑ ↓', 'to the ends of a column'],
  ['Enter, click', 'keep the place in the link'],
  ['Esc', 'let go of it'],
  ['1 … 5', 'the views'],
  ['?', 'these keys'],
];

function Page() {
  const [state, setState] = useState<State>(() => read(location.hash));
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  const [dump, setDump] = useState<Dump | null>(null);
  const [said, setSaid] = useState('');
  const latest = useRef(state);
  latest.current = state;
  const keys = useRef<HTMLDialogElement>(null);

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

  useEffect(() => {
    document.title = state.view === 'layout' ? `${state.l} · Tilewright` : `${NAMES[state.view]} · Tilewright`;
  }, [state]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const view = VIEWS[Number(event.key) - 1];
      if (event.key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('.editor-input, .dump')?.focus();
      } else if (event.key === '?') keys.current?.showModal();
      else if (view) set({ view }, true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link(latest.current));
      setSaid('link copied');
    } catch {
      setSaid('the address has it');
    }
    setTimeout(() => setSaid(''), 2000);
  };
  const tab = (view: View, step: number) => {
    const next = VIEWS[(VIEWS.indexOf(view) + step + VIEWS.length) % VIEWS.length]!;
    set({ view: next }, true);
    document.getElementById(`tab-${next}`)?.focus();
  };
  const props = { state, set, onDrawn: setDrawn };

  return (
    <>
      <header>
        <h1>Tilewright</h1>
        <div class="tabs" role="tablist" aria-label="views">
          {VIEWS.map((view) => (
            <button
              type="button"
              key={view}
              id={`tab-${view}`}
              role="tab"
              aria-selected={view === state.view}
              aria-controls="view"
              tabIndex={view === state.view ? 0 : -1}
              onClick={() => set({ view }, true)}
              onKeyDown={(event) => {
                if (event.key === 'ArrowRight') tab(view, 1);
                if (event.key === 'ArrowLeft') tab(view, -1);
              }}
            >
              {NAMES[view]}
            </button>
          ))}
        </div>
        <div class="tools">
          <Examples onChoose={(shows) => set(shows, true)} />
          <span class="said" role="status">{said}</span>
          <button type="button" onClick={() => void copy()} title="copy a link to what is shown">link</button>
          <button type="button" disabled={!drawn} onClick={() => drawn && saveSvg(drawn.svg, drawn.title)} title="save the picture as SVG">SVG</button>
          <button type="button" disabled={!drawn} onClick={() => drawn && void savePng(drawn.svg, drawn.title)} title="save the picture as PNG">PNG</button>
          <button type="button" aria-label="keys" title="keys" onClick={() => keys.current?.showModal()}>?</button>
        </div>
      </header>
      <main>
        <div id="view" role="tabpanel" aria-labelledby={`tab-${state.view}`}>
          {state.view === 'layout' && <LayoutView {...props} />}
          {state.view === 'compare' && <CompareView {...props} />}
          {state.view === 'algebra' && <AlgebraView {...props} />}
          {state.view === 'tpu' && <TpuView {...props} />}
          {state.view === 'hlo' && <HloView {...props} dump={dump} onDump={setDump} />}
        </div>
      </main>
      <dialog ref={keys} aria-label="keys" onClick={(event) => event.target === keys.current && keys.current?.close()}>
        <h2>Keys</h2>
        <dl>
          {KEYS.map(([key, says]) => (
            <div key={says}>
              <dt><kbd>{key}</kbd></dt>
              <dd>{says}</dd>
            </div>
          ))}
        </dl>
        <button type="button" class="small-button" onClick={() => keys.current?.close()}>close</button>
      </dialog>
    </>
  );
}

function Examples({ onChoose }: { onChoose: (shows: Partial<State>) => void }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  useEffect(() => {
    const outside = (event: Event) => {
      if (event.target instanceof Node && !menu.current?.contains(event.target)) close();
    };
    addEventListener('pointerdown', outside);
    return () => removeEventListener('pointerdown', outside);
  }, []);
  return (
    <details class="examples" ref={menu} onKeyDown={(event) => {
      if (event.key !== 'Escape') return;
      close();
      menu.current?.querySelector('summary')?.focus();
    }}>
      <summary>examples</summary>
      <ul>
        {EXAMPLES.map((example) => (
          <li key={example.name}>
            <button type="button" onClick={() => {
              close();
              onChoose(example.shows);
            }}>
              <strong>{example.name}</strong>
              <span>{example.says}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

const root = document.getElementById('explorer');
if (root) render(<Page />, root);
