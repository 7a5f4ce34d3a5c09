// The page that `tilewright hlo --html` writes, used as somebody would. It is a file that asks nobody.
//
// `TILEWRIGHT` and `CHROMIUM` are as in the tests of the explorer.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const DATA = fileURLToPath(new URL('../../../tilewright-hlo/tests/data/memory/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tilewright-report-'));
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** A test with the page of a module. Nothing is said on the console, and the page never goes sideways. */
function check(name, module, use, options = {}) {
  // Once is enough: no host has a part in it.
  test(name, { skip: process.env.SITE !== undefined }, async () => {
    const file = join(folder, 'report.html');
    execFileSync(process.env.TILEWRIGHT ?? 'tilewright', ['hlo', module(), '--html', file, '--force'], { stdio: 'ignore' });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const said = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(pathToFileURL(file).href);
    await use(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, 'the page goes sideways');
    assert.deepEqual(said, []);
    await context.close();
  });
}

const alive = (page) => page.locator('section[data-table="0"]');
const buffers = (page) => page.locator('.tw-buffers');
const names = (table) => table.locator('td .tw-name').allInnerTexts();
const lanes = (page) => page.locator('.tw-chart[data-space=hbm] .tw-lane');

check('filters, groups, and links between rows and bands', () => `${DATA}unet-gradient.hlo`, async (page) => {
  await page.getByText('the peak, at split.3').waitFor();
  assert.deepEqual((await names(alive(page))).slice(0, 1), ['fusion.36']);
  // Words, all of which a row has.
  await page.getByRole('searchbox').fill('SLICE split');
  assert.deepEqual((await names(alive(page))).toSorted(), ['split.2', 'split.3']);
  await buffers(page).getByText('2 of 49').waitFor();
  await page.getByRole('button', { name: 'show all' }).click();
  // One memory space.
  await page.getByLabel('memory').selectOption('vmem');
  assert.equal(await page.locator('.tw-chart:visible').count(), 1);
  assert.equal(await alive(page).isVisible(), false);
  await page.getByLabel('memory').selectOption('any memory');
  // By op, and then one of them.
  await page.getByLabel('group by').selectOption('op');
  assert.equal(await lanes(page).filter({ hasText: /^slice/ }).count(), 1);
  await alive(page).getByRole('button', { name: 'slice', exact: true }).click();
  assert.deepEqual((await names(alive(page))).toSorted(), ['split.2', 'split.3']);
  assert.equal(await page.getByLabel('op', { exact: true }).locator('option:checked').innerText(), 'slice');
  await page.getByRole('button', { name: 'show all' }).click();
  // From a row to its band, from a band to its row: at the peak, or, if it is not alive then, among all.
  await alive(page).getByRole('button', { name: 'fusion.8{1}' }).click();
  await page.locator('.tw-lit').filter({ hasText: /^\s*fusion\.8\{1\}/ }).waitFor();
  await lanes(page).filter({ hasText: 'split.2' }).click();
  await alive(page).locator('[aria-current]').filter({ hasText: 'split.2' }).waitFor();
  await lanes(page).filter({ hasText: 'copy.8' }).click();
  await buffers(page).locator('[aria-current]').filter({ hasText: 'copy.8' }).waitFor();
  // All that is known of it, and where its padding is.
  await buffers(page).locator('.tw-details figure svg:visible').waitFor();
  // Sorted, up and down.
  const sizes = async () => (await buffers(page).locator('td.tw-c-text:last-child').allInnerTexts()).slice(0, 3);
  await buffers(page).getByRole('button', { name: /^Name/ }).click();
  const first = await sizes();
  await buffers(page).getByRole('button', { name: /^Name/ }).click();
  assert.notDeepEqual(await sizes(), first);
});

check('a module of many buffers is looked through whole', () => {
  const array = 'f32[8,128]{1,0:T(8,128)}';
  const line = (n) => `  a${n} = ${array} negate(a${n - 1}), metadata={op_name="jit(f)/layer_${n % 9}/neg" source_file="f.py" source_line=${n % 50}}\n`;
  const lines = Array.from({ length: 30_000 }, (_, n) => line(n + 1)).join('');
  const file = join(folder, 'many.hlo');
  writeFileSync(file, `HloModule many, is_scheduled=true\n\nENTRY e {\n  a0 = ${array} parameter(0)\n${lines}}\n`);
  return file;
}, async (page) => {
  await buffers(page).getByText('30001').waitFor();
  assert.ok((await page.locator('tr').count()) < 400, 'rows that nobody sees are in the document');
  await page.getByRole('searchbox').fill('a29999');
  assert.deepEqual(await buffers(page).locator('td.tw-c-text:last-child').allInnerTexts(), ['a29999']);
  await page.getByRole('searchbox').fill('');
  await buffers(page).locator('.tw-scroll').evaluate((table) => table.scrollTo(0, table.scrollHeight));
  await buffers(page).getByText('a30000', { exact: true }).waitFor();
});

check('names are texts, whatever they hold', () => {
  const name = "</script><img/onerror>'&";
  const array = 'f32[8,128]{1,0:T(8,128)}';
  const file = join(folder, 'names.hlo');
  writeFileSync(file, `HloModule ${name}, is_scheduled=true\n\nENTRY e {\n  p = ${array} parameter(0)\n  %${name} = ${array} negate(p)\n  ROOT b = ${array} add(%${name}, p)\n}\n`);
  return file;
}, async (page) => {
  assert.deepEqual(await names(alive(page)), ["</script><img/onerror>'&"]);
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('h1').innerText(), "</script><img/onerror>'&");
}, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });

test('without scripts there are a picture and tables', { skip: process.env.SITE !== undefined }, async () => {
  const file = join(folder, 'still.html');
  execFileSync(process.env.TILEWRIGHT ?? 'tilewright', ['hlo', `${DATA}unet-gradient.hlo`, '--html', file], { stdio: 'ignore' });
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  assert.ok((await page.locator('.tw-lane').count()) > 10);
  assert.equal(await alive(page).locator('tbody tr').count(), 7);
  await context.close();
});
