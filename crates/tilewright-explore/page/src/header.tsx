// The header: the views, the examples, what can be taken away, and the keys.

import { type ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Drawn } from './ask';
import { EXAMPLES } from './examples';
import { savePng, saveSvg } from './export';
import { type State, type View, VIEWS, link } from './state';

export const NAMES: Record<View, string> = { layout: 'Layout', compare: 'Compare', algebra: 'Algebra', tpu: 'TPU', hlo: 'HLO', code: 'Code' };

const KEYS = [
  ['/', 'to the layout'],
  ['↓ ↑', 'in the layout: how it could go on'],
  ['Enter', 'keep it as a step that “back” returns to'],
  ['arrows', 'in the picture: from cell to cell'],
  ['Home End', 'to the ends of a row'],
  ['Page ↑ ↓', 'to the ends of a column'],
  ['Enter, click', 'keep the place in the link'],
  ['Esc', 'let go of it'],
  ['← →', 'outside of the picture: the step, or the run that moves'],
  ['1 … 6', 'the views'],
  ['?', 'these keys'],
] as const;

interface Props {
  state: State;
  set: (change: Partial<State>, enter?: boolean) => void;
  /** The picture that can be saved. */
  drawn: Drawn | null;
  onTitle: () => void;
  onKeys: () => void;
}

export function Header({ state, set, drawn, onTitle, onKeys }: Props) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link(state));
      setSaid('link copied');
    } catch {
      setSaid('the address has it');
    }
    setTimeout(() => setSaid(''), 2000);
  };
  return (
    <header>
      <h1>Tilewright</h1>
      <Tabs view={state.view} onChoose={(view) => set({ view }, true)} />
      <div class="tools">
        <Examples onChoose={(shows) => set(shows, true)} />
        <span class="said" role="status">{said}</span>
        <Tool title="give what is shown a title" onClick={onTitle}>title</Tool>
        <Tool title="copy a link to what is shown" onClick={() => void copy()}>link</Tool>
        <Tool title="save the picture as SVG" disabled={!drawn} onClick={() => drawn && saveSvg(drawn.svg, drawn.title)}>SVG</Tool>
        <Tool title="save the picture as PNG" disabled={!drawn} onClick={() => drawn && void savePng(drawn.svg, drawn.title)}>PNG</Tool>
        <button type="button" aria-label="keys" title="keys" onClick={onKeys}>?</button>
      </div>
    </header>
  );
}

function Tool(props: { title: string; disabled?: boolean; onClick: () => void; children: ComponentChildren }) {
  return <button type="button" title={props.title} disabled={props.disabled} onClick={props.onClick}>{props.children}</button>;
}

function Tabs({ view, onChoose }: { view: View; onChoose: (view: View) => void }) {
  const go = (from: View, step: number) => {
    const next = VIEWS[(VIEWS.indexOf(from) + step + VIEWS.length) % VIEWS.length]!;
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="views">
      {VIEWS.map((each) => (
        <button
          type="button"
          key={each}
          id={`tab-${each}`}
          role="tab"
          aria-selected={each === view}
          aria-controls="view"
          tabIndex={each === view ? 0 : -1}
          onClick={() => onChoose(each)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowRight') go(each, 1);
            if (event.key === 'ArrowLeft') go(each, -1);
          }}
        >
          {NAMES[each]}
        </button>
      ))}
    </div>
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

export function Keys({ dialog }: { dialog: { current: HTMLDialogElement | null } }) {
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} aria-label="keys" onClick={(event) => event.target === dialog.current && close()}>
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([key, says]) => (
          <div key={says}>
            <dt><kbd>{key}</kbd></dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="small-button" onClick={close}>close</button>
    </dialog>
  );
}
