// Tables of the HLO view.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** So many rows a table has at first, and more with each click. */
const ROWS = 50;

export function LayoutButton({ text, onOpen }: { text: string | undefined; onOpen: (text: string) => void }) {
  if (text === undefined) return null;
  return <button type="button" class="open mono" onClick={() => onOpen(text)}>{text}</button>;
}

interface RowsProps {
  head: string[];
  rows: ComponentChildren[][];
  /** The number of the row that is chosen; none where it is negative. */
  chosen?: number;
}

/** Rows that grow by request; `#` before a column's name has it to the right. */
export function Rows({ head, rows, chosen = -1 }: RowsProps) {
  const [shown, setShown] = useState(ROWS);
  // What is chosen is to be seen.
  const all = Math.max(shown, chosen + 1);
  const right = head.map((title) => (title.startsWith('#') ? 'number' : title === 'data' ? 'bar' : undefined));
  return (
    <>
      <div class="scrolls">
        <table class="data">
          <thead>
            <tr>{head.map((title, n) => <th key={title} class={right[n]}>{title.replace('#', '')}</th>)}</tr>
          </thead>
          <tbody>
            {rows.slice(0, all).map((row, n) => (
              <tr key={n} class={n === chosen ? 'chosen' : undefined} aria-current={n === chosen ? true : undefined}>{row.map((cell, m) => <td key={m} class={right[m]}>{cell}</td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
      {all < rows.length && <button type="button" class="small-button" onClick={() => setShown(all * 4)}>more</button>}
    </>
  );
}
