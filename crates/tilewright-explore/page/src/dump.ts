// The HLO dump that is looked at, wherever it was typed, pasted or dropped.

import { useEffect, useRef, useState } from 'preact/hooks';
import { type Assignment, type Reply, type Report, ask } from './ask';
import { WHERE } from './host';
import { bytes } from './words';

/** What the host takes; said here too, so that nobody waits for a file that is refused. */
const MAX_BYTES = 64 * 2 ** 20;

export interface Dump {
  name: string;
  text: string;
  report: Report | null;
  error: string | null;
}

export interface Dumps {
  dump: Dump | null;
  /** What stands in the field. */
  typed: string;
  busy: boolean;
  /** Where a dump goes, in words. */
  goes: string;
  /** What the parameters would do better in, once that was asked. */
  assignment: Reply<Assignment> | null;
  type: (text: string) => void;
  open: (file: File | undefined) => Promise<void>;
  assign: () => Promise<void>;
}

export function useDumps(): Dumps {
  const [dump, setDump] = useState<Dump | null>(null);
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [assignment, setAssignment] = useState<Dumps['assignment']>(null);
  const turn = useRef(0);

  const read = async (name: string, text: string) => {
    const mine = ++turn.current;
    setAssignment(null);
    setBusy(true);
    const [reply] = (await ask([{ ask: 'hlo', text }])) as Reply<Report>[];
    if (mine !== turn.current) return;
    setBusy(false);
    setDump({ name, text, report: reply?.answer ?? null, error: reply?.error?.message ?? null });
  };
  const open = async (file: File | undefined) => {
    if (!file) return;
    setTyped('');
    if (file.size > MAX_BYTES) {
      turn.current += 1;
      setBusy(false);
      setAssignment(null);
      const error = `${file.name} has ${bytes(file.size)}: use \`tilewright hlo\` for it`;
      setDump({ name: file.name, text: '', report: null, error });
      return;
    }
    await read(file.name, await file.text());
  };
  const type = (text: string) => {
    setTyped(text);
    if (text.trim() !== '') void read('the text', text);
  };
  const assign = async () => {
    if (!dump) return;
    const mine = turn.current;
    const [reply] = (await ask([{ ask: 'assign', text: dump.text }])) as Reply<Assignment>[];
    if (mine === turn.current) setAssignment(reply ?? null);
  };
  return { dump, typed, busy, goes: WHERE, assignment, type, open, assign };
}

/** Whether a text is one of several lines, as no layout is. */
const hasLines = (text: string) => text.trim().includes('\n');

interface Arrivals {
  onFile: (file: File) => void;
  /** A text of several lines. */
  onDump: (text: string) => void;
  /** A text of one line, where it is pasted into no field. */
  onLine: (text: string) => void;
}

/** Takes what is dropped or pasted anywhere on the page. Says whether a file is held over it. */
export function useArrivals(arrivals: Arrivals): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(arrivals);
  latest.current = arrivals;
  useEffect(() => {
    const onDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    };
    const onDragLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      latest.current.onFile(file);
    };
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      const isField = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA)$/.test(event.target.tagName);
      const isLine = !hasLines(text);
      if (text.trim() === '' || (isField && (isLine || event.target instanceof HTMLTextAreaElement))) return;
      event.preventDefault();
      if (isLine) latest.current.onLine(text.trim());
      else latest.current.onDump(text);
    };
    const listeners = { dragover: onDragOver, dragleave: onDragLeave, drop: onDrop, paste: onPaste };
    const all = Object.entries(listeners) as [string, EventListener][];
    for (const [name, listener] of all) addEventListener(name, listener);
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener);
    };
  }, []);
  return over;
}
