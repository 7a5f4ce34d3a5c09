// An HLO dump: what its layouts cost. The dump stays in this page: it is in no address.

import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Report } from './ask';
import type { Dumps } from './dump';
import { MODULE } from './examples';
import type { ViewProps } from './layout';
import { LayoutButton, Rows } from './rows';
import { Share } from './sizes';
import { Timelines } from './timeline';
import { bytes, count, counted, percent } from './words';

export interface HloProps extends ViewProps {
  dumps: Dumps;
}

export function HloView({ set, onDrawn, dumps }: HloProps) {
  useMemo(() => onDrawn(null), []);
  const file = useRef<HTMLInputElement>(null);
  const { dump } = dumps;
  const report = dump?.report;
  const openLayout = (l: string) => set({ view: 'layout', l, at: '', step: null }, true);
  const state = dumps.busy ? 'reading …' : report ? (report.module ?? dump.name) : dumps.goes;

  return (
    <div class="view hlo-view">
      <div class="top">
        <label class="editor-label" for="dump">HLO text, or an out-of-memory report of XLA</label>
        <textarea id="dump" class="dump" rows={report ? 3 : 9} spellcheck={false} value={dumps.typed}
          placeholder="paste it here, or drop a file anywhere" onInput={(event) => dumps.type(event.currentTarget.value)} />
        <p class="row">
          <button type="button" class="small-button" onClick={() => file.current?.click()}>open a file</button>
          <input ref={file} type="file" class="unseen" tabIndex={-1} aria-label="file" onChange={(event) => void dumps.open(event.currentTarget.files?.[0])} />
          <button type="button" class="small-button" onClick={() => dumps.type(MODULE)}>a small example</button>
          <span class="soft" role="status">{state}</span>
        </p>
        {dump?.error && <p class="note wrong-note" role="status">{dump.error}</p>}
      </div>
      {report && <ReportView report={report} onOpen={openLayout} />}
      {dump?.report?.module && dump.report.totals.parameters.count > 0 && <AssignmentView key={dump.name} dumps={dumps} onOpen={openLayout} />}
    </div>
  );
}

/** The formats in which a module's parameters would do better. They are worked out when they are asked for. */
function AssignmentView({ dumps, onOpen }: { dumps: Dumps; onOpen: (text: string) => void }) {
  const { assignment } = dumps;
  const list = assignment?.answer;
  return (
    <section class="card" aria-label="formats of the parameters">
      <h2>Formats of the parameters</h2>
      {!list && <p class="soft">In which formats the parameters would pad less and be moved less.</p>}
      {!list && <button type="button" class="small-button" onClick={() => void dumps.assign()}>find them</button>}
      {assignment?.error && <p class="note wrong-note" role="status">{assignment.error.message}</p>}
      {list && (
        <p>
          {bytes(list.totals.module.bytes)} of parameters and {bytes(list.totals.module.moved_bytes)} moved become{' '}
          {bytes(list.totals.best.bytes)} and {bytes(list.totals.best.moved_bytes)}
        </p>
      )}
      {list && (
        <Rows head={['name', 'in the module', '#takes', '#moves', 'best', '#takes ', '#moves ']} rows={list.parameters.map(({ name, module, best }) => [
          <span class="mono small">{name}</span>,
          <LayoutButton text={module.text} onOpen={onOpen} />,
          bytes(module.bytes),
          bytes(module.moved_bytes),
          module.text === best.text ? <span class="soft">the same</span> : <LayoutButton text={best.text} onOpen={onOpen} />,
          bytes(best.bytes),
          bytes(best.moved_bytes),
        ])} />
      )}
    </section>
  );
}

function ReportView({ report, onOpen }: { report: Report; onOpen: (text: string) => void }) {
  const { totals } = report;
  const layout = (text: string) => <LayoutButton text={text} onOpen={onOpen} />;
  return (
    <>
      <div class="verdicts">
        {report.out_of_memory && (
          <Total name={`out of ${report.out_of_memory.memory}`} value={report.out_of_memory.used} says={`of ${report.out_of_memory.capacity}`} />
        )}
        {([['parameters', totals.parameters], ['outputs', totals.outputs], ['buffers', totals.buffers]] as const).map(([name, size]) => (
          <Total key={name} name={name} value={bytes(size.bytes)} says={`${counted(size.count, 'array')}, ${percent(size.padding_bytes, size.bytes)} padding`}>
            <Share data={size.logical_bytes} all={size.bytes} />
          </Total>
        ))}
        <Total name="relayouts" value={bytes(totals.relayouts.bytes_written)} says={`written by ${counted(totals.relayouts.count, 'move')} into another format`} />
        <Total name="bitcasts" value={`${count(totals.bitcasts.confirmed)} of ${count(totals.bitcasts.count)}`} says="are what they claim to be" />
      </div>
      <Timelines report={report} onOpen={onOpen} />
      <Table name="Buffers, by padding" head={['name', 'layout', '#takes', '#padding', 'data', '#line']} rows={report.buffers.map((buffer) => [
        <span class="mono small">{buffer.name}</span>,
        layout(buffer.text),
        bytes(buffer.bytes),
        `${bytes(buffer.padding_bytes)} (${percent(buffer.padding_bytes, buffer.bytes)})`,
        <Share data={buffer.logical_bytes} all={buffer.bytes} />,
        buffer.line,
      ])} />
      {([['Copies that change the format', report.relayouts], ['Copies that keep it', report.copies]] as const).map(([name, moves]) => (
        <Table key={name} name={name} head={['name', 'from', 'to', '#writes', 'by', '#line']} rows={moves.map((move) => [
          <span class="mono small">{move.name}</span>,
          layout(move.from),
          layout(move.to),
          bytes(move.bytes_written),
          move.kind,
          move.line,
        ])} />
      ))}
      <Table name="Bitcasts" head={['name', 'from', 'to', 'holds', 'how, or why not', '#line']} rows={report.bitcasts.map((cast) => [
        <span class="mono small">{cast.name}</span>,
        layout(cast.from),
        layout(cast.to),
        <span class={`badge ${cast.holds === null ? '' : cast.holds ? 'yes' : 'no'}`}>{cast.holds === null ? 'undecided' : cast.holds ? 'yes' : 'no'}</span>,
        cast.kind ?? cast.reason,
        cast.line,
      ])} />
    </>
  );
}

function Total(props: { name: string; value: string; says: string; children?: ComponentChildren }) {
  return (
    <section class="card total">
      <h2>{props.name}</h2>
      <p class="value">{props.value}</p>
      {props.children}
      <p class="soft">{props.says}</p>
    </section>
  );
}

/** A table with a name. */
function Table({ name, head, rows }: { name: string; head: string[]; rows: ComponentChildren[][] }) {
  if (rows.length === 0) return null;
  return (
    <section class="card" aria-label={name}>
      <h2>{name} <span class="soft">{count(rows.length)}</span></h2>
      <Rows head={head} rows={rows} />
    </section>
  );
}
