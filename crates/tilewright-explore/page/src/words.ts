// Numbers as people read them.

import type { Int } from './json';

const grouped = new Intl.NumberFormat('en-US', { useGrouping: true });

/** `9000` and `24 576`, as the pictures have it, with spaces that keep a number on its line. */
export function count(n: Int): string {
  if (-10_000 < n && n < 10_000) return String(n);
  return grouped.format(n).replaceAll(',', '\u202f');
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** `24 576 bytes`, and from a MiB on `3.97 GiB`. */
export function bytes(n: Int): string {
  let power = 0;
  let value = Number(n);
  if (Math.abs(value) < 1 << 20) return `${count(n)} ${n === 1 ? 'byte' : 'bytes'}`;
  while (Math.abs(value) >= 1024 && power < UNITS.length - 1) {
    value /= 1024;
    power += 1;
  }
  return `${value.toFixed(value < 10 ? 2 : 1)} ${UNITS[power]}`;
}

/** `512 B`, `64.0 KiB`, `3.97 GiB`: where there is room for few letters. */
export function brief(n: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, n)) / 10)));
  const value = n / 1024 ** power;
  return power === 0 ? `${n} B` : `${value.toFixed(value < 10 ? 2 : 1)} ${UNITS[power]}`;
}

export function percent(part: Int, whole: Int): string {
  if (Number(whole) === 0 || Number(part) === 0) return '0 %';
  const share = (100 * Number(part)) / Number(whole);
  return share < 0.05 ? '< 0.1 %' : `${share.toFixed(1)} %`;
}

/** `1 array`, `2 arrays`. */
export function counted(n: number, what: string): string {
  return `${count(n)} ${what}${n === 1 ? '' : 's'}`;
}

export function index(numbers: Int[]): string {
  return `(${numbers.join(', ')})`;
}
