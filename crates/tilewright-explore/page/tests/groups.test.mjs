// What buffers are summed up by.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grouped, sums } from '../../../tilewright-hlo/src/page/groups.js';

const buffer = (name, bytes, op) => ({ name, text: '', bytes, op, source: '', layer: '' });

test('groups are sums over time, those with most at the peak first', () => {
  const lives = [
    { from: 0, to: 4, buffer: buffer('a', 10, 'copy') },
    { from: 3, to: 9, buffer: buffer('b', 20, 'add') },
    { from: 5, to: 6, buffer: buffer('c', 50, 'copy') },
  ];
  assert.deepEqual(sums(lives), [[0, 10], [3, 30], [5, 70], [7, 20], [10, 0]]);
  const groups = grouped(lives, 'op', 4).map(({ key, most, atPeak }) => [key, most, atPeak]);
  assert.deepEqual(groups, [['add', 20, 20], ['copy', 50, 10]]);
  assert.equal(grouped(lives, 'source', 4)[0].label, 'no source line');
});
