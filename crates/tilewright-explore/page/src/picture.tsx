// A picture in its frame, and the place in it that is pointed at.
//
// The host says where one can point (`spots`). The pointer's position is compared with those boxes; no
// cell has a listener of its own. All spots of one offset are lit at once, by one overlay.

import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Block, Drawn, Spot } from './ask';

const SVG = 'http://www.w3.org/2000/svg';

/** How small a picture may be, its own size being 1. */
const LEAST_SCALE = 0.78;

/** Which spot is pointed at: its number in the list. */
export type Pointed = number | null;

interface Props {
  drawn: Drawn | undefined;
  /** The picture is of an older text: it stays, greyed. */
  stale: boolean;
  /** The spot under the pointer or the keys. */
  pointed: Pointed;
  onPoint: (pointed: Pointed, by: 'pointer' | 'key') => void;
  /** A click keeps a place, or lets go of it. */
  onKeep: (pointed: Pointed) => void;
  /** Which spots are lit beside the one that is pointed at. */
  lit: (spot: Spot) => boolean;
  /** The tiles whose borders are lit. */
  blocks?: Block[];
  label: string;
}

/** The document that the host drew, as elements. As XML, so that no text of it can become markup of the page. */
function parsed(svg: string): SVGSVGElement | null {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  return root instanceof SVGSVGElement ? document.importNode(root, true) : null;
}

export function Picture(props: Props) {
  const { drawn, lit } = props;
  const frame = useRef<HTMLDivElement>(null);
  const picture = useRef<SVGSVGElement | null>(null);
  const overlay = useRef<SVGGElement | null>(null);
  const spots = useMemo(() => drawn?.spots ?? [], [drawn]);

  useLayoutEffect(() => {
    const root = drawn ? parsed(drawn.svg) : null;
    if (!root) return;
    // The frame has the name; the document's own title would pop up beside the pointer.
    root.querySelector('title')?.remove();
    root.setAttribute('aria-hidden', 'true');
    root.removeAttribute('role');
    // It shrinks into its frame as long as its numbers can be read; beyond that the frame pans.
    const width = root.viewBox.baseVal.width;
    root.style.minWidth = `${LEAST_SCALE * width}px`;
    root.style.maxWidth = `${width}px`;
    const group = document.createElementNS(SVG, 'g');
    group.setAttribute('class', 'lit-spots');
    root.append(group);
    frame.current?.replaceChildren(root);
    picture.current = root;
    overlay.current = group;
  }, [drawn]);

  useLayoutEffect(() => {
    const pointed = props.pointed === null ? undefined : spots[props.pointed];
    const all = spots.filter((spot) => spot === pointed || lit(spot));
    overlay.current?.replaceChildren(
      ...(props.blocks ?? []).map((block) => outline(block.area, `lit-block level-${block.level % 3}`)),
      ...all.map((spot) => outline(spot.area, spot === pointed ? 'lit-spot pointed' : 'lit-spot')),
    );
  });

  const spotAt = (event: MouseEvent): Pointed => {
    const box = picture.current?.getBoundingClientRect();
    if (!box || !picture.current) return null;
    const scale = picture.current.viewBox.baseVal.width / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const at = spots.findIndex(({ area: [left, top, width, height] }) =>
      left <= x && x < left + width && top <= y && y < top + height);
    return at < 0 ? null : at;
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const next = afterKey(event.key, spots, props.pointed);
    if (next === undefined) {
      if (event.key === 'Enter' && props.pointed !== null) props.onKeep(props.pointed);
      return;
    }
    event.preventDefault();
    props.onPoint(next, 'key');
    if (next !== null) reveal(frame.current, picture.current, spots[next]!);
  };

  return (
    <div
      class={`picture${props.stale ? ' stale' : ''}`}
      role="application"
      aria-roledescription="picture"
      aria-label={props.label}
      tabIndex={0}
      ref={frame}
      onPointerMove={(event) => event.pointerType === 'mouse' && props.onPoint(spotAt(event), 'pointer')}
      onPointerLeave={(event) => event.pointerType === 'mouse' && props.onPoint(null, 'pointer')}
      onClick={(event) => props.onKeep(spotAt(event))}
      onKeyDown={onKeyDown}
    />
  );
}

/** Whether the middle of a box is within another one. */
export function holds([left, top, width, height]: Spot['area'], inner: Spot['area']): boolean {
  const [x, y] = middle({ area: inner });
  return left <= x && x <= left + width && top <= y && y <= top + height;
}

function outline([x, y, width, height]: Spot['area'], name: string): SVGRectElement {
  const box = document.createElementNS(SVG, 'rect');
  const values = { x, y, width, height, rx: 4, class: name };
  for (const [name, value] of Object.entries(values)) box.setAttribute(name, String(value));
  return box;
}

const DIRECTIONS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The spot that a key leads to; `undefined` where the key is none of the picture's. */
function afterKey(key: string, spots: Spot[], from: Pointed): Pointed | undefined {
  if (key === 'Escape') return null;
  if (spots.length === 0) return undefined;
  const direction = DIRECTIONS[key];
  const start = from === null ? undefined : spots[from];
  if (direction && !start) return 0;
  if (direction && start) return nearest(spots, start, direction) ?? from;
  if (!start) return undefined;
  if (key === 'Home') return farthest(spots, start, [-1, 0]);
  if (key === 'End') return farthest(spots, start, [1, 0]);
  if (key === 'PageUp') return farthest(spots, start, [0, -1]);
  if (key === 'PageDown') return farthest(spots, start, [0, 1]);
  return undefined;
}

const middle = ({ area: [x, y, width, height] }: Pick<Spot, 'area'>): [number, number] => [x + width / 2, y + height / 2];

/** The closest spot that way; sideways counts more, so that rows and columns are kept. */
function nearest(spots: Spot[], start: Spot, [dx, dy]: [number, number]): number | undefined {
  const [x, y] = middle(start);
  let best: number | undefined;
  let least = Infinity;
  spots.forEach((spot, n) => {
    const [u, v] = middle(spot);
    const ahead = (u - x) * dx + (v - y) * dy;
    const aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
    if (ahead < 1 || aside > 2 * ahead + 1) return;
    const far = ahead + 4 * aside;
    if (far < least) [best, least] = [n, far];
  });
  return best;
}

/** The last spot that way in the same row or column. */
function farthest(spots: Spot[], start: Spot, direction: [number, number]): number {
  const [x, y] = middle(start);
  let last = start;
  for (const spot of spots) {
    const [u, v] = middle(spot);
    const [a, b] = middle(last);
    const aside = direction[0] === 0 ? Math.abs(u - x) : Math.abs(v - y);
    if (aside < 1 && (u - a) * direction[0] + (v - b) * direction[1] > 0) last = spot;
  }
  return spots.indexOf(last);
}

/** Scrolls the frame, and never the page, until a spot can be seen. */
function reveal(frame: HTMLElement | null, picture: SVGSVGElement | null, spot: Spot) {
  if (!frame || !picture) return;
  const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
  const [left, top, width, height] = spot.area.map((n) => n * scale) as Spot['area'];
  const room = 24;
  if (left < frame.scrollLeft + room) frame.scrollLeft = left - room;
  if (left + width > frame.scrollLeft + frame.clientWidth - room) frame.scrollLeft = left + width - frame.clientWidth + room;
  if (top < frame.scrollTop + room) frame.scrollTop = top - room;
  if (top + height > frame.scrollTop + frame.clientHeight - room) frame.scrollTop = top + height - frame.clientHeight + room;
}
