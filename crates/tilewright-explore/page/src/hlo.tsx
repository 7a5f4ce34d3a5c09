// An HLO dump: what its layouts cost. The dump stays in this page: it is in no address.

import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { type Reply, type Report, ask } from './ask';
import { MODULE } from './examples';
import { type ViewProps, Share } from './layout';
import { bytes, count, counted, percent } from './words';

/** So many rows a table has at first, and more with each click. */
const ROWS = 50;

/** What the host takes; said here too, so that nobody waits for a file that is refused. */
const MAX_BYTES = 64 * 2 ** 20;

export interface Dump {
  name: string;
  report: Report | null;
  error: string | null;
}

export interface HloProps extends ViewProps {
  dump: Dump | null;
  onDump: (dump: Dump | null) => void;
}

export function HloView({ set, onDrawn, dump, onDump }: HloProps) {
  useMemo(() => onDrawn(null), []);
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState('');
  const [over, setOver] = useState(false);
  const turn = useRef(0);
  const file = useRef<HTMLInputElement>(null);

  const read = async (name: string, text: string) => {
    const mine = ++turn.current;
    setBusy(true);
    const [reply] = (await ask([{ ask: 'hlo', text }])) as Reply<Report>[];
    if (mine !== turn.current) return;
    setBusy(false);
    onDump({ name, report: reply?.answer ?? null, error: reply?.error?.message ?? null });
  };
  const open = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MAX_BYTES) {
      onDump({ name: file.name, report: null, error: `${file.name} has ${bytes(file.size)}: use \`tilewright hlo\` for it` });
      return;
    }
    await read(file.name, await file.text());
  };
  const type = (text: string) => {
    setText(text);
    if (text.trim() !== '') void read('the text', text);
  };
  const openLayout = (l: string) => set({ view: 'layout', l, at: '' }, true);

  return (
    <div
      class={`view hlo-view${over ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void open(event.dataTransfer?.files[0]);
      }}
    >
      <div class="top">
        <label class="editor-label" for="dump">HLO text, or an out-of-memory report of XLA</label>
        <textarea id="dump" class="dump" rows={dump?.report ? 3 : 9} spellcheck={false} value={text}
          placeholder="paste it here, or drop a file" onInput={(event) => type(event.currentTarget.value)} />
        <p class="row">
          <button type="button" class="small-button" onClick={() => file.current?.click()}>open a file</button>
          <input ref={file} type="file" class="unseen" tabIndex={-1} aria-label="file" onChange={(event) => void open(event.currentTarget.files?.[0])} />
          <button type="button" class="small-button" onClick={() => type(MODULE)}>a small example</button>
          <span class="soft" role="status">{busy ? 'reading …' : dump?.report ? `${dump.report.module ?? dump.name}` : 'it goes to this machine’s own host alone'}</span>
        </p>
        {dump?.error && <p class="note wrong-note" role="status">{dump.error}</p>}
      </div>
      {dump?.report && <ReportView report={dump.report} onOpen={openLayout} />}
    </div>
  );
}

function ReportView({ report, onOpen }: { report: Report; onOpen: (text: string) => void }) {
  const { totals } = report;
  const layout = (text: string) => <button type="button" class="open mono" onClick={() => onOpen(text)}>{text}</button>;
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

/** A table that grows by request; `#` before a column's name has it to the right. */
function Table({ name, head, rows }: { name: string; head: string[]; rows: ComponentChildren[][] }) {
  const [shown, setShown] = useState(ROWS);
  if (rows.length === 0) return null;
  const right = head.map((title) => (title.startsWith('#') ? 'number' : title === 'data' ? 'bar' : undefined));
  return (
    <section class="card" aria-label={name}>
      <h2>{name} <span class="soft">{count(rows.length)}</span></h2>
      <div class="scrolls">
        <table class="data">
          <thead>
            <tr>{head.map((title, n) => <th key={title} class={right[n]}>{title.replace('#', '')}</th>)}</tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, n) => (
              <tr key={n}>{row.map((cell, m) => <td key={m} class={right[m]}>{cell}</td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown < rows.length && <button type="button" class="small-button" onClick={() => setShown(shown * 4)}>more</button>}
    </section>
  );
}
