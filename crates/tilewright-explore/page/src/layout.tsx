// One layout: what it says, what it looks like, and what is at a place of it.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Block, Drawn, Piece, PlaceAnswer, Pieces, Question, Reply, Shown, Spot, TextAnswer } from './ask';
import { Editor, Meaning } from './editor';
import { useAnswers, useLastGood, useMedia, useRested, useTheme } from './hooks';
import { type Int, integer } from './json';
import { Picture, type Pointed, holds } from './picture';
import { PlaceCard, placeWords } from './place';
import { NOTATIONS, Sizes, Written } from './sizes';
import { FIRST, type State } from './state';
import { Toolbar } from './toolbar';

export interface ViewProps {
  state: State;
  /** Changes what is shown; `enter` makes it a step that one can go back from. */
  set: (change: Partial<State>, enter?: boolean) => void;
  /** The picture that can be saved. */
  onDrawn: (drawn: Drawn | null) => void;
}

export function LayoutView({ state, set, onDrawn }: ViewProps) {
  const [pointed, setPointed] = useState<Pointed>(null);
  const [litPiece, setLitPiece] = useState<number | null>(null);
  const [brought, setBrought] = useState<Brought | null>(null);
  const { read, drawn, current, isWrong, ...good } = useLayout(state, brought);
  const { picture } = good;
  useMemo(() => onDrawn(picture ?? null), [picture]);
  const pieces = current ? (read?.answer?.pieces ?? []) : [];
  const spot = pointed === null ? undefined : picture?.spots[pointed];
  const layout = useLastGood(current && drawn?.answer ? state.l : undefined) ?? state.l;
  const kept = keptIndex(state.at);
  const { place, known } = usePlace(layout, spot, isWrong ? null : kept);
  const at = place?.answer;
  const spoken = useRested(at ? placeWords(at) : (spot?.says ?? ''));

  // A place that is kept and in no cell is brought into view, by a picture that has its cell.
  const isOut = current && known && !spot && !state.steps && isLeftOut(at, picture);
  useEffect(() => {
    if (isOut && kept) setBrought({ layout: state.l, index: kept });
  }, [isOut, state.at]);

  const lighting = lights(pieces, picture?.blocks ?? [], litPiece, spot);
  const open = (l: string, enter: boolean) => {
    setPointed(null);
    set({ l, at: '', step: null }, enter);
  };
  const keep = (n: Pointed) => {
    const offset = n === null ? null : picture?.spots[n]?.offset;
    setPointed(n);
    if (n === null) set({ at: '' });
    else if (offset != null && at?.offset === offset && at.index) set({ at: at.index.join(',') }, true);
  };

  return (
    <div class="view layout-view">
      <div class="top">
        <Editor
          label="layout"
          text={state.l}
          onType={(l) => open(l, false)}
          onEnter={(l) => set({ l }, true)}
          pieces={pieces}
          error={read?.answer?.error ?? read?.error}
          current={current}
          completes
          lit={lighting.pieces}
          onPoint={setLitPiece}
          placeholder={FIRST.l}
        />
        {current && <Meaning text={state.l} pieces={pieces} lit={lighting.pieces} onPoint={setLitPiece} />}
        {current && read?.answer?.warnings.map((warning) => <p class="note" key={warning}>{warning}</p>)}
      </div>
      <div class="columns">
        <section class="main" aria-label="picture">
          <Toolbar state={state} set={set} drawn={picture} ready={current && !isWrong} />
          {drawn?.error && !read?.answer?.error && current && <p class="note wrong-note" role="status">{drawn.error.message}</p>}
          <Picture
            drawn={picture}
            stale={isWrong}
            pointed={pointed}
            onPoint={(n) => n !== pointed && setPointed(n)}
            onKeep={keep}
            lit={({ offset }) => offset !== null && offset === (at?.offset ?? spot?.offset)}
            blocks={lighting.blocks}
            label={`${picture?.title ?? 'layout'}: ${picture?.subtitle ?? ''}. Arrow keys go from cell to cell`}
          />
        </section>
        <aside class="side">
          <PlaceCard place={at} says={spot?.says ?? (kept ? place?.error?.message : undefined)} layout={layout} onGo={(at) => {
            setPointed(null);
            set({ at });
          }} />
          <Sizes shown={good.shown} stale={isWrong} />
          <Written written={good.written} stale={isWrong} current={state.l} onOpen={(l) => open(l, true)} />
        </aside>
      </div>
      <p class="sheet" aria-hidden="true">{at ? placeWords(at) : 'point at a cell'}</p>
      <p class="unseen" role="status" aria-live="polite">{spoken}</p>
    </div>
  );
}

/** An index of a layout that the picture has to have a cell for. */
interface Brought {
  layout: string;
  index: Int[];
}

/** The replies to what is asked of a layout: its pieces, its picture, its sizes, and its other notations. */
type Replies = [Reply<Pieces>, Reply<Drawn>, Reply<Shown>, ...Reply<TextAnswer>[]];

/** What there is to say of the layout that is typed, and the last good of what stays while it is wrong. */
function useLayout(state: State, brought: Brought | null) {
  const { l: layout } = state;
  const questions: Question[] = [
    { ask: 'read', text: layout },
    useDrawing(state, brought),
    { ask: 'show', layout },
    ...NOTATIONS.map(([notation]) => ({ ask: 'to', notation, layout })),
  ];
  const { replies, current, turn } = useAnswers(questions);
  const [read, drawn, shown, ...notations] = replies as unknown as Replies;
  return {
    read,
    drawn,
    current,
    isWrong: turn > 0 && !drawn?.answer,
    picture: useLastGood(drawn?.answer),
    shown: useLastGood(shown?.answer),
    written: useLastGood(shown?.answer ? { notations, of: shown.answer } : undefined),
  };
}

/** The question for the picture. */
function useDrawing(state: State, brought: Brought | null): Question {
  const theme = useTheme();
  const columns = useColumns();
  return {
    ask: 'draw',
    layout: state.l,
    color: state.by,
    unit: state.unit,
    direction: state.dir,
    theme,
    columns,
    ...(state.steps && { steps: true }),
    ...(state.steps && state.step !== null && { step: state.step }),
    ...(!state.steps && brought?.layout === state.l && { near: brought.index }),
  };
}

/** What is at the spot that is pointed at, or else at the index that is kept; and whether that is known by now. */
function usePlace(layout: string, spot: Spot | undefined, kept: Int[] | null) {
  const asked: Question[] =
    spot?.offset != null
      ? [{ ask: 'place', layout, offset: spot.offset }]
      : spot === undefined && kept
        ? [{ ask: 'place', layout, index: kept }]
        : [];
  const { replies, current } = useAnswers(asked);
  const place = asked.length > 0 ? (replies[0] as Reply<PlaceAnswer> | undefined) : undefined;
  return { place, known: current };
}

/** Whether an element is in none of a picture's cells. */
function isLeftOut(place: PlaceAnswer | undefined, picture: Drawn | undefined): boolean {
  if (!place || place.padding || !picture) return false;
  return picture.spots.every(({ offset }) => offset !== place.offset);
}

/** How many columns a picture may have: fewer where there is less room. */
function useColumns(): number | null {
  const isNarrow = useMedia('(max-width: 600px)');
  const isWide = useMedia('(min-width: 1500px)');
  return isNarrow ? 10 : isWide ? null : 18;
}

/** The index that an address keeps. */
function keptIndex(at: string): Int[] | null {
  return /^\d{1,19}(,\d{1,19})*$/.test(at) ? at.split(',').map(integer) : null;
}

/**
 * What is lit in the text, by first bytes, and in the picture. A piece of the text that says tiles lights
 * their borders; a cell lights the tiles that it lies in, and the pieces that say them.
 */
function lights(pieces: Piece[], blocks: Block[], piece: number | null, spot: Spot | undefined) {
  const said = pieces.find(({ span }) => span[0] === piece);
  if (said) {
    const lit = said.kind === 'tile' ? blocks.filter(({ level }) => level === said.level) : [];
    return { pieces: [said.span[0]], blocks: lit };
  }
  const around = spot ? blocks.filter(({ area }) => holds(area, spot.area)) : [];
  const levels = new Set<number | null>(around.map(({ level }) => level));
  const lit = pieces.filter(({ kind, level }) => kind === 'tile' && levels.has(level));
  return { pieces: lit.map(({ span }) => span[0]), blocks: around };
}
