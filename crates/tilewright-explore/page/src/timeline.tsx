// What a program has in memory over its schedule, and who is alive at the peak: the chart of the report's page,
// and beside it the buffers, each of which leads to the other.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import '../../../tilewright-hlo/src/page/chart.css';
import { type Chart, chart } from '../../../tilewright-hlo/src/page/chart.js';
import { type Buffer, type By, WAYS, grouped, key } from '../../../tilewright-hlo/src/page/groups.js';
import type { Alive, Peak, Report, Timeline } from './ask';
import { LayoutButton, Rows } from './rows';
import { brief, bytes, counted, percent } from './words';

/** A memory space that is looked at: all but those of semaphores are. */
const isLarge = (timeline: Timeline) => !timeline.space.startsWith('S(');

const known = (alive: Alive): Buffer => ({
  name: alive.name,
  text: alive.text,
  bytes: Number(alive.bytes),
  op: alive.op,
  source: alive.source ?? '',
  layer: alive.layer ?? '',
});

export function Timelines({ report, onOpen }: { report: Report; onOpen: (text: string) => void }) {
  const [by, setBy] = useState<By>('buffer');
  const spaces = (report.timeline ?? []).filter(isLarge);
  if (spaces.length === 0) return null;
  return (
    <>
      <p class="row">
        <label class="soft" for="group-by">group by</label>
        <select id="group-by" value={by} onChange={(event) => setBy(event.currentTarget.value as By)}>
          {WAYS.map(([way, name]) => <option key={way} value={way}>{name}</option>)}
        </select>
      </p>
      {spaces.map((timeline) => {
        const peak = report.peak?.find(({ space }) => space === timeline.space);
        return peak && <Space key={timeline.space} timeline={timeline} peak={peak} by={by} setBy={setBy} onOpen={onOpen} />;
      })}
    </>
  );
}

interface SpaceProps {
  timeline: Timeline;
  peak: Peak;
  by: By;
  setBy: (by: By) => void;
  onOpen: (text: string) => void;
}

function Space({ timeline, peak, by, setBy, onOpen }: SpaceProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<Chart | null>(null);
  /** The group that is looked at alone. */
  const [only, setOnly] = useState<{ by: By; key: string } | null>(null);
  const [lit, setLit] = useState('');
  const isShown = (buffer: Buffer) => only === null || key(buffer, only.by) === only.key;

  useEffect(() => {
    const steps = timeline.steps.map(([time, sum]): [number, number] => [time, Number(sum)]);
    const highest = steps.reduce((most, step) => (step[1] > most[1] ? step : most), [0, 0]);
    const lives = timeline.lives.map(({ from, to, ...alive }) => ({ from, to, buffer: known(alive) }));
    const of = { space: timeline.space, n: Math.max(1, timeline.instructions), steps, peak: highest[0], at: peak.at, lives };
    drawn.current = chart(place.current as HTMLDivElement, of, {
      size: brief,
      onPick: (group, way) => {
        if (way !== 'buffer') {
          setOnly({ by: way, key: group.key });
          setBy('buffer');
          return;
        }
        drawn.current?.light(group.key);
        setLit(group.key);
      },
    });
    setOnly(null);
    setLit('');
  }, [timeline, peak]);
  useEffect(() => drawn.current?.show(by, isShown), [timeline, peak, by, only]);

  const light = (name: string) => {
    if (drawn.current?.light(name)) setLit(name);
  };
  const shown = useMemo(() => peak.alive.map((alive) => ({ alive, buffer: known(alive) })).filter(({ buffer }) => isShown(buffer)), [peak, only]);
  const hasLife = useMemo(() => new Set(timeline.lives.map(({ name }) => name)), [timeline]);
  return (
    <section class="card space" aria-label={`${timeline.space} over the schedule`}>
      <h2>
        {timeline.space}: {bytes(peak.bytes)} of temporaries at the peak <span class="soft">at {peak.at}</span>
        {only && <button type="button" class="small-button" onClick={() => setOnly(null)}>only {only.key || `no ${only.by}`} ×</button>}
      </h2>
      <div ref={place} class="tw-chart" />
      <h2>Alive at the peak <span class="soft">{counted(shown.length, 'buffer')}</span></h2>
      {by === 'buffer' ? (
        <Rows head={['name', 'layout', '#takes', '#padding', 'op', 'source', 'layer']} chosen={shown.findIndex(({ buffer }) => buffer.name === lit)} rows={shown.map(({ alive, buffer }) => [
          hasLife.has(buffer.name) ? <button type="button" class="open mono small" onClick={() => light(buffer.name)}>{buffer.name}</button> : <span class="mono small">{buffer.name}</span>,
          <LayoutButton text={buffer.text} onOpen={onOpen} />,
          bytes(alive.bytes),
          percent(alive.padding_bytes, alive.bytes),
          ...[buffer.op, buffer.source, buffer.layer].map((text) => <span class="small whole">{text}</span>),
        ])} />
      ) : (
        <Rows head={[by, '#takes', '#buffers']} rows={grouped(shown.map(({ buffer }) => ({ from: 0, to: 0, buffer })), by, 0).map((group) => [
          <button type="button" class="open" onClick={() => { setOnly({ by, key: group.key }); setBy('buffer'); }}>{group.label}</button>,
          bytes(group.atPeak),
          group.lives.length,
        ])} />
      )}
    </section>
  );
}
