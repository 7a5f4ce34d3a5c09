// What a view is to a screen reader, beside the text files that say what it should be.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';

const FOLDER = new URL('aria/', import.meta.url);

/** Compares what is there with `aria/NAME.yml`, or writes that file where `UPDATE` is set. */
export async function matches(name, locator) {
  const file = new URL(`${name}.yml`, FOLDER);
  const found = `${await locator.ariaSnapshot()}\n`;
  if (process.env.UPDATE) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(file, found);
  }
  assert.equal(found, await readFile(file, 'utf8'), `aria/${name}.yml`);
}
