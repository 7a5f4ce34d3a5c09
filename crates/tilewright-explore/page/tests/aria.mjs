// What a view is to a screen reader, beside the text files that say what it should be.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';

const FOLDER = new URL('aria/', import.meta.url);

/** How often it is looked at, and how long in between in milliseconds: what is spoken comes a little later. */
const [LOOKS, PAUSE] = [100, 100];

/** Compares what is there, once it has come to rest, with `aria/NAME.yml`; `UPDATE` writes that file. */
export async function matches(name, locator) {
  const file = new URL(`${name}.yml`, FOLDER);
  if (process.env.UPDATE) {
    await locator.page().waitForTimeout(2000);
    await mkdir(FOLDER, { recursive: true });
    await writeFile(file, await snapshot(locator));
  }
  const wanted = await readFile(file, 'utf8');
  let found = '';
  for (let look = 0; look < LOOKS && found !== wanted; look += 1) {
    if (look > 0) await locator.page().waitForTimeout(PAUSE);
    found = await snapshot(locator);
  }
  assert.equal(found, wanted, `aria/${name}.yml`);
}

const snapshot = async (locator) => `${await locator.ariaSnapshot()}\n`;
