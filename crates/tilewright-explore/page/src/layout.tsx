// One layout: what it says, what it looks like, and what is at a place of it.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Block, Drawn, Piece, PlaceAnswer, Pieces, Question, Reply, Shown, Spot, TextAnswer } from './ask';
import { Editor, Meaning } from './editor';
import { useAnswers, useLastGood, useMedia, useRested, useTheme } from './hooks';
import { type Int, integer } from './json';
import { Picture, type Pointed, holds } from './picture';
import { PlaceCard, placeWords } from './place';
import { NOTATIONS, Sizes, Written } from './sizes';
import type { State } from './state';
import { Toolbar } from './toolbar';

export interface ViewProps {
  state: State;
  /** Changes what is shown; `enter` makes it a step that one can go back from. */
  set: (change: Partial<State>, enter?: boolean) => void;
  /** The picture that can be saved. */
  onDrawn: (drawn: Drawn | null) => void;
}

/** What is asked of a layout: its pieces, its picture, its sizes, and its other notations. */
type Replies = [Reply<Pieces>, Reply<Drawn>, Reply<Shown>, ...Reply<TextAnswer>[]];

export function LayoutView({ state, set, onDrawn }: ViewProps) {
  const theme = useTheme();
  const columns = useColumns();
  const [pointed, setPointed] = useState<Pointed>(null);
  const [litPiece, setLitPiece] = useState<number | null>(null);
  const kept = keptIndex(state.at);
  const [brought, setBrought] = useState<{ layout: string; index: Int[] } | null>(null);
  const draw: Question = {
    ask: 'draw',
    layout: state.l,
    color: state.by,
    unit: state.unit,
    direction: state.dir,
    theme,
    columns,
    ...(state.steps && { steps: true }),
    ...(state.steps && state.step !== null && { step: state.step }),
    ...(!state.steps && brought?.layout === state.l && { at: brought.index }),
  };
  const questions: Question[] = [
    { ask: 'read', text: state.l },
    draw,
    { ask: 'show', layout: state.l },
    ...NOTATIONS.map(([notation]) => ({ ask: 'to', notation, layout: state.l })),
  ];
  const { replies, current, turn } = useAnswers(questions);
  const [read, drawn, shown, ...notations] = replies as unknown as Replies;
  const picture = useLastGood(drawn?.answer);
  useMemo(() => onDrawn(picture ?? null), [picture]);
  const lastShown = useLastGood(shown?.answer);
  const written = useLastGood(shown?.answer ? { notations, of: shown.answer } : undefined);
  const isWrong = turn > 0 && !drawn?.answer;
  const pieces = current ? (read?.answer?.pieces ?? []) : [];

  const spot = pointed === null ? undefined : picture?.spots[pointed];
  const layout = useLastGood(current && drawn?.answer ? state.l : undefined) ?? state.l;
  const asked: Question[] =
    spot?.offset != null
      ? [{ ask: 'place', layout, offset: spot.offset }]
      : spot === undefined && kept && !isWrong
        ? [{ ask: 'place', layout, index: kept }]
        : [];
  const answered = useAnswers(asked);
  const place = asked.length > 0 ? (answered.replies[0] as Reply<PlaceAnswer> | undefined) : undefined;
  const at = place?.answer;
  const spoken = useRested(at ? placeWords(at) : (spot?.says ?? ''));

  // A place that is kept and in no cell is brought into view, by a picture that has its cell.
  const isOut =
    current && answered.current && spot === undefined && at !== undefined && !at.padding && !state.steps &&
    picture?.spots.every(({ offset }) => offset !== at.offset);
  useEffect(() => {
    if (isOut && kept) setBrought({ layout: state.l, index: kept });
  }, [isOut, state.at]);

  const lighting = lights(pieces, picture?.blocks ?? [], litPiece, spot);
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
          onType={(l) => {
            setPointed(null);
            set({ l, at: '', step: null });
          }}
          onEnter={(l) => set({ l }, true)}
          pieces={pieces}
          error={read?.answer?.error ?? read?.error}
          current={current}
          completes
          lit={lighting.pieces}
          onPoint={setLitPiece}
          placeholder="bf16[30,300]{1,0:T(8,128)(2,1)}"
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
          <Sizes shown={lastShown} stale={isWrong} />
          <Written written={written} stale={isWrong} current={state.l} onOpen={(l) => set({ l, at: '', step: null }, true)} />
        </aside>
      </div>
      <p class="sheet" aria-hidden="true">{at ? placeWords(at) : 'point at a cell'}</p>
      <p class="unseen" role="status" aria-live="polite">{spoken}</p>
    </div>
  );
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
