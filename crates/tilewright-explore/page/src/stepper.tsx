// One of several pictures at a time: forward, back, by a slider, or by themselves.

import { useEffect, useRef, useState } from 'preact/hooks';
import { useMedia } from './hooks';

/** How long a picture stays while they change by themselves, in milliseconds. */
const STAY = 700;

interface Props {
  label: string;
  /** The one that is shown, counted from nought; without one, all at once. */
  value: number | null;
  count: number;
  /** What is shown, in words. */
  says: (value: number | null) => string;
  /** Whether the picture of `value` is there. */
  ready: boolean;
  /** Whether they can change by themselves. */
  plays?: boolean;
  onChange: (value: number | null) => void;
}

export function Stepper(props: Props) {
  const { label, value, count, ready, onChange } = props;
  const group = useRef<HTMLSpanElement>(null);
  const isStill = useMedia('(prefers-reduced-motion: reduce)');
  const [playing, setPlaying] = useState(false);
  const next = value === null ? 0 : value + 1;
  const go = (value: number) => {
    setPlaying(false);
    onChange(value < 0 ? null : Math.min(value, count - 1));
  };
  useArrowKeys(group, (by) => go(by > 0 ? next : (value ?? 0) - 1));
  useEffect(() => {
    if (!playing || !ready) return;
    const timer = setTimeout(() => {
      if (next < count) onChange(next);
      else setPlaying(false);
    }, STAY);
    return () => clearTimeout(timer);
  }, [playing, ready, next, count]);
  const play = () => {
    if (!playing && next >= count) onChange(0);
    setPlaying(!playing);
  };

  return (
    <span class="stepper" role="group" aria-label={label} ref={group}>
      {props.plays && !isStill && (
        <button type="button" class="small-button" onClick={play}>{playing ? 'pause' : 'play'}</button>
      )}
      <button type="button" class="small-button" aria-label="back" disabled={value === null} onClick={() => go((value ?? 0) - 1)}>◀</button>
      {props.plays && (
        <input type="range" aria-label={label} min={0} max={count} value={value === null ? 0 : value + 1}
          aria-valuetext={props.says(value)} onInput={(event) => go(Number(event.currentTarget.value) - 1)} />
      )}
      <button type="button" class="small-button" aria-label="forward" disabled={next >= count} onClick={() => go(next)}>▶</button>
      <span class="stepper-says" role="status" aria-live={playing ? 'off' : 'polite'}>{props.says(value)}</span>
    </span>
  );
}

/** The arrow keys, where nothing else on the page has a use for them. */
function useArrowKeys(group: { current: HTMLElement | null }, onArrow: (by: number) => void) {
  const latest = useRef(onArrow);
  latest.current = onArrow;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      const { target } = event;
      const isFree = target === document.body || (target instanceof HTMLButtonElement && group.current?.contains(target));
      if (by === 0 || !isFree || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      latest.current(by);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
