// One line of text with what it means: painted pieces, a wavy line where it is wrong, and how it could
// go on.
//
// The text that is typed is invisible; behind it stands the same text, painted. Both have the same font,
// padding and scroll position, so that they are one to the eye.

import type { TargetedInputEvent, TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Completion, type Completions, type Piece, type Refusal, ask } from './ask';
import { bytesBefore, positionOf } from './spans';

interface Props {
  label: string;
  text: string;
  /** While it is typed. */
  onType: (text: string) => void;
  /** At Enter, or where a completion was chosen. */
  onEnter: (text: string) => void;
  pieces?: Piece[];
  error?: Refusal | null | undefined;
  /** Whether what is known of pieces and errors is of this very text. */
  current: boolean;
  completes?: boolean;
  placeholder?: string;
  /** The pieces that are lit, by their first bytes. */
  lit?: number[];
  /** The piece under the pointer, by its first byte. */
  onPoint?: (start: number | null) => void;
}

export function Editor(props: Props) {
  const { text, label, current } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const paint = useRef<HTMLPreElement>(null);
  const [asked, setOffered] = useState<(Completions & { of: string }) | null>(null);
  const [chosen, setChosen] = useState(-1);
  const turn = useRef(0);
  const error = current ? props.error : null;
  // What was offered for another text would be put into the wrong place.
  const offered = asked?.of === text ? asked : null;
  const items = offered?.items ?? [];

  const follow = () => {
    if (paint.current && input.current) paint.current.scrollLeft = input.current.scrollLeft;
  };
  useLayoutEffect(follow);
  useEffect(() => {
    if (chosen >= 0) document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  const close = () => {
    turn.current += 1;
    setOffered(null);
    setChosen(-1);
  };
  const offer = async (text: string, position: number) => {
    const mine = ++turn.current;
    const [reply] = await ask([{ ask: 'complete', text, cursor: bytesBefore(text, position) }]);
    if (mine !== turn.current) return;
    const answer = reply?.answer as Completions | undefined;
    setOffered(answer && answer.items.length > 0 ? { ...answer, of: text } : null);
    setChosen(-1);
  };
  const take = (item: Completion) => {
    if (!offered) return;
    const start = positionOf(text, offered.span[0]);
    const end = positionOf(text, offered.span[1]);
    const next = text.slice(0, start) + item.text + text.slice(end);
    close();
    props.onType(next);
    props.onEnter(next);
    const at = start + item.text.length;
    requestAnimationFrame(() => input.current?.setSelectionRange(at, at));
  };
  // What is painted lies behind the input, where no pointer comes.
  const point = (event: PointerEvent) => {
    const painted = [...(paint.current?.querySelectorAll<HTMLElement>('[data-piece]') ?? [])];
    const under = painted.find((part) => {
      const { left, right } = part.getBoundingClientRect();
      return left <= event.clientX && event.clientX < right;
    });
    props.onPoint?.(under ? Number(under.dataset['piece']) : null);
  };
  const onInput = (event: TargetedInputEvent<HTMLInputElement>) => {
    const field = event.currentTarget;
    props.onType(field.value);
    const position = field.selectionStart ?? field.value.length;
    if (props.completes && position > 0) void offer(field.value, position);
    else close();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const field = event.currentTarget;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined;
    if (step !== undefined && props.completes) {
      event.preventDefault();
      if (items.length === 0) void offer(text, field.selectionStart ?? text.length);
      else setChosen((chosen + step + items.length + (chosen < 0 && step < 0 ? 1 : 0)) % items.length);
    } else if (event.key === 'Enter' || (event.key === 'Tab' && chosen >= 0)) {
      const item = items[chosen];
      if (item) {
        event.preventDefault();
        take(item);
      } else {
        close();
        props.onEnter(text);
      }
    } else if (event.key === 'Escape' && items.length > 0) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };

  return (
    <div class="editor">
      <label class="editor-label" for={id}>
        {label}
      </label>
      <div class={`editor-field${error ? ' wrong' : ''}`}>
        <pre class="editor-paint" aria-hidden="true" ref={paint}>
          {painted(text, current ? (props.pieces ?? []) : [], error, props.lit ?? [])}
        </pre>
        <input
          id={id}
          ref={input}
          class="editor-input"
          value={text}
          placeholder={props.placeholder}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          autocorrect="off"
          onInput={onInput}
          onKeyDown={onKeyDown}
          onScroll={follow}
          onBlur={close}
          onPointerMove={point}
          onPointerLeave={() => props.onPoint?.(null)}
          aria-invalid={error ? 'true' : 'false'}
          aria-errormessage={error ? `${id}-error` : undefined}
          role={props.completes ? 'combobox' : undefined}
          aria-autocomplete={props.completes ? 'list' : undefined}
          aria-expanded={props.completes ? items.length > 0 : undefined}
          aria-controls={props.completes ? `${id}-list` : undefined}
          aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        />
        {props.completes && (
          <ul id={`${id}-list`} class="offers" role="listbox" aria-label={`how ${label} could go on`} hidden={items.length === 0}>
            {items.map((item, n) => (
              <li
                key={item.text}
                id={`${id}-${n}`}
                role="option"
                aria-selected={n === chosen}
                onPointerDown={(event) => {
                  event.preventDefault();
                  take(item);
                }}
              >
                <code>{item.text}</code>
                <span>{item.says}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <p id={`${id}-error`} class="editor-error" role="status" hidden={!error}>
        {error && (
          <>
            <strong>{error.message}</strong>
            {error.expected && <> — expected {error.expected}</>}
            {error.help && <span class="help"> {error.help}</span>}
          </>
        )}
      </p>
    </div>
  );
}

/** The class that paints a piece: tiles by their level, all else by its kind. */
export function pieceClass(piece: Piece): string {
  return piece.kind === 'tile' ? `piece tile-${(piece.level ?? 0) % 3}` : `piece ${piece.kind}`;
}

/** The text in pieces; what is wrong is underlined, with a sign's room where it is missing at the end. */
function painted(text: string, pieces: Piece[], error: Refusal | null | undefined, lit: number[]) {
  const span = error?.span;
  const wrong = span ? [positionOf(text, span[0]), positionOf(text, span[1])] : [-1, -1];
  const [from, to] = [wrong[0]!, Math.max(wrong[1]!, wrong[0]! + 1)];
  const starts = pieces.map((piece) => [positionOf(text, piece.span[0]), positionOf(text, piece.span[1])]);
  const cuts = new Set([0, text.length, ...starts.flat()]);
  if (span) cuts.add(Math.min(from, text.length)).add(Math.min(to, text.length));
  const order = [...cuts].sort((a, b) => a - b);
  const parts = order.slice(0, -1).map((start, n) => {
    const end = order[n + 1]!;
    const at = starts.findIndex(([a, b]) => a! <= start && end <= b!);
    const piece = pieces[at];
    const isWrong = span && from <= start && end <= to;
    const names = [piece ? pieceClass(piece) : '', isWrong ? 'wavy' : '', piece && lit.includes(piece.span[0]) ? 'lit' : ''];
    return (
      <span key={start} data-piece={piece?.span[0]} class={names.filter(Boolean).join(' ') || undefined}>
        {text.slice(start, end)}
      </span>
    );
  });
  const missing = span && from >= text.length;
  return [...parts, missing ? <span class="wavy">{'\u00a0'}</span> : null, '\u200b'];
}

/** What each piece means, in a row. */
export function Meaning(props: { text: string; pieces: Piece[]; lit: number[]; onPoint: (start: number | null) => void }) {
  return (
    <ul class="meaning" aria-label="what its pieces mean">
      {props.pieces.map((piece) => {
        const [start, end] = piece.span.map((bytes) => positionOf(props.text, bytes));
        return (
          <li
            key={piece.span[0]}
            class={props.lit.includes(piece.span[0]) ? 'lit' : undefined}
            onPointerEnter={() => props.onPoint(piece.span[0])}
            onPointerLeave={() => props.onPoint(null)}
          >
            <code class={pieceClass(piece)}>{props.text.slice(start, end)}</code> {piece.says}
          </li>
        );
      })}
    </ul>
  );
}
