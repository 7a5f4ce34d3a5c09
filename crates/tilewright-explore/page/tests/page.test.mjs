// The page in a browser, used as somebody would. `URL` is where it is served; `CHROMIUM` the browser.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const TILED = 'f32[3,5]{1,0:T(2,2)}';
const DESKTOP = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let browser;
let host;
let url = process.env.URL;

before(async () => {
  if (!url) {
    const command = process.env.TILEWRIGHT ?? 'tilewright';
    host = spawn(command, ['explore', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: host.stdout })) {
      url = line;
      break;
    }
  }
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
});

after(async () => {
  await browser?.close();
  host?.kill();
});

/** A test with a page of its own. Nothing is said on the console, and nobody but the host is asked. */
function check(name, hash, use, options = DESKTOP) {
  test(name, async () => {
    const context = await browser.newContext({ ...options, acceptDownloads: true });
    const page = await context.newPage();
    const said = [];
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    const own = new URL(url).origin;
    await page.route('**', (route) => {
      const asked = route.request().url();
      if (asked.startsWith(`${own}/`)) return route.continue();
      said.push(`asks ${asked}`);
      return route.abort();
    });
    try {
      await page.goto(own + '/' + hash);
      await use(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wide, 0, 'the page goes sideways');
      assert.deepEqual(said, []);
    } finally {
      await context.close();
    }
  });
}

const layout = (page) => page.getByRole('combobox', { name: 'layout', exact: true });
const picture = (page) => page.getByRole('application');
const place = (page) => page.getByRole('region', { name: 'place' });
const at = (page, index) => place(page).getByRole('heading', { name: index });

/** Waits until the picture is of this layout. */
const drawn = (page, title) => page.getByRole('application', { name: title }).and(page.locator(':not(.stale)')).waitFor();

/** The middle of the cell with these words in it, on the screen. */
async function cell(page, words) {
  const box = await picture(page).locator('text').filter({ hasText: new RegExp(`^${words}$`) }).first().boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

check('what is typed is drawn, a mistake is said, and it can be mended', '', async (page) => {
  await drawn(page, 'bf16[30,300]');
  await layout(page).fill(TILED);
  await drawn(page, TILED);
  await page.getByText('96 bytes').first().waitFor();
  await layout(page).fill('f32[3,5]{1,0:T(0,2)}');
  await page.getByText('tile dimension 0 must be 1 or more').waitFor();
  assert.equal(await layout(page).getAttribute('aria-invalid'), 'true');
  assert.equal(await page.locator('.wavy').innerText(), '0');
  assert.match(await picture(page).getAttribute('class'), /stale/);
  assert.match(await picture(page).innerText(), /f32\[3,5\]/);
  await layout(page).fill('f32[3,5]{1,0:T(2,4)}');
  await drawn(page, 'f32[3,5]{1,0:T(2,4)}');
  assert.equal(await layout(page).getAttribute('aria-invalid'), 'false');
});

check('the mistake at the end of a text has a place too', '#l=f32[3,5', async (page) => {
  await page.locator('.wavy').waitFor();
  assert.equal(await picture(page).innerText(), '');
});

check('a cell that is pointed at says where it lies', `#l=${TILED}`, async (page) => {
  await drawn(page, TILED);
  await page.mouse.move(...(await cell(page, '17')));
  await at(page, '(2, 3)').waitFor();
  await place(page).getByText('68').waitFor();
  assert.ok((await page.locator('.lit-spot').count()) >= 2, 'grid and memory are lit');
  await page.mouse.click(...(await cell(page, '17')));
  await page.waitForURL(/at=2,3/);
  await page.mouse.move(5, 5);
  await at(page, '(2, 3)').waitFor();
});

check('all can be done by keys', '', async (page) => {
  await drawn(page, 'bf16[30,300]');
  await page.keyboard.press('/');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('f32[3,5]');
  await page.getByRole('option', { name: '{0,1}' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await drawn(page, 'f32[3,5]{0,1}');
  assert.equal(await layout(page).inputValue(), 'f32[3,5]{0,1}');
  await picture(page).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await at(page, '(1, 1)').waitFor();
  await page.locator('.unseen').getByText('(1, 1) → offset 4, byte 16').waitFor();
  await page.keyboard.press('2');
  await page.getByRole('combobox', { name: 'other layout' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.goBack();
  await place(page).waitFor();
});

check('two layouts are compared', '#view=compare&l=f32[10,6]{1,0:T(2,4)}&b=f32[10,6]{1,0:T(4,2)}', async (page) => {
  await page.getByText('index [0, 2] is at offset 2 and at 8').waitFor();
  await page.getByText('reads 320 bytes, writes 288 bytes').waitFor();
  await page.getByRole('button', { name: 'show (0, 2)' }).click();
  assert.ok((await page.locator('.lit-spot').count()) >= 2, 'both sides are lit');
  await page.getByRole('combobox', { name: 'other layout' }).fill('f32[10,6]{1,0:T(2,4)}');
  await page.getByText('memory stays as it is: identity').waitFor();
});

check('the algebra answers and lists what it can', '#view=algebra', async (page) => {
  await page.getByText('(3,(2,2)):(16,(80,4))').first().waitFor();
  await page.getByRole('searchbox').fill('complement');
  await page.getByRole('button', { name: 'complement(A[, n])' }).click();
  await page.getByRole('textbox', { name: 'expression' }).fill('complement(4:2,24)');
  await page.getByText('(2,3):(1,8)').first().waitFor();
  await page.getByRole('button', { name: 'open as the layout' }).click();
  await drawn(page, '(2,3):(1,8)');
});

check('the generations of TPUs, and a format that is opened', '#view=tpu&l=bf16[30,300]', async (page) => {
  await page.getByRole('button', { name: 'v7x' }).waitFor();
  await page.getByRole('button', { name: 'v4', exact: true }).click();
  await page.getByText('What it could be on v4').waitFor();
  await page.getByRole('region', { name: 'formats' }).getByRole('button').first().click();
  await drawn(page, 'bf16[30,300]{');
});

check('a dump is reported on, and is in no address', '#view=hlo', async (page) => {
  await page.getByRole('button', { name: 'a small example' }).click();
  await page.getByRole('region', { name: 'Buffers, by padding' }).waitFor();
  assert.doesNotMatch(page.url(), /HloModule/);
  await page.locator('#dump').fill('nothing of the kind');
  await page.getByText('no HLO module').waitFor();
  await page.locator('input[type=file]').setInputFiles({
    name: 'dump.hlo',
    mimeType: 'text/plain',
    buffer: Buffer.from('HloModule dropped\n\nENTRY e {\n  ROOT p = f32[3,5]{1,0:T(2,2)} parameter(0)\n}\n'),
  });
  await page.getByText('dropped').waitFor();
});

check('text is never markup', '', async (page) => {
  await layout(page).fill('f32[3]<img src=x onerror=alert(1)>');
  await page.locator('.wavy').first().waitFor();
  assert.equal(await page.locator('img').count(), 0);
});

check('an address is what it shows, and is kept', `#l=${encodeURIComponent(TILED)}&by=dim&dir=memory&at=1,1`, async (page) => {
  await drawn(page, TILED);
  assert.equal(await layout(page).inputValue(), TILED);
  assert.equal(await page.getByLabel('colour').inputValue(), 'dim');
  await at(page, '(1, 1)').waitFor();
  await page.getByLabel('colour').selectOption('line');
  await page.waitForURL(/#l=f32\[3,5\]\{1,0:T\(2,2\)\}&by=line&dir=memory&at=1,1$/);
});

check('what was entered is come back to, what was only typed is not', `#l=${TILED}`, async (page) => {
  await drawn(page, TILED);
  await layout(page).fill('f32[4,4]');
  await layout(page).fill('f32[4,6]');
  await layout(page).press('Enter');
  await drawn(page, 'f32[4,6]');
  await page.goBack();
  await drawn(page, TILED);
  assert.equal(await layout(page).inputValue(), TILED);
  await page.goForward();
  await drawn(page, 'f32[4,6]');
});

check('pictures are saved', `#l=${TILED}`, async (page) => {
  await drawn(page, TILED);
  for (const name of ['SVG', 'PNG']) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    assert.equal(download.suggestedFilename(), `f32-3-5-1-0-T-2-2.${name.toLowerCase()}`);
  }
});

check('an example is chosen', '', async (page) => {
  await page.getByText('examples', { exact: true }).click();
  await page.getByRole('button', { name: 'A swizzle and its banks' }).click();
  await drawn(page, 'Sw<3,0,3>');
});

check('every example is drawn', '', async (page) => {
  const names = await page.locator('.examples li strong').allTextContents();
  assert.ok(names.length >= 12);
  for (const name of names) {
    await page.getByText('examples', { exact: true }).click();
    await page.locator('.examples li button').filter({ has: page.getByText(name, { exact: true }) }).click();
    await page.locator('.picture:not(.stale) svg').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('.stale'));
    assert.equal(await page.locator('.wrong-note, .editor-error:not([hidden])').count(), 0, name);
  }
});

for (const [name, text] of [['an array of 2⁴⁶ elements', 'bf16[16,1048576,4194304]{2,1,0:T(8,128)(2,1)}'], ['a scalar', 'f32[]'], ['an empty array', 'f32[0,5]'], ['a tuple', '(f32[3], s32[])']]) {
  check(`${name} is no trouble`, `#l=${encodeURIComponent(text)}`, async (page) => {
    await page.getByRole('region', { name: 'sizes' }).waitFor();
  });
}

for (const view of ['layout', 'compare', 'algebra', 'tpu', 'hlo']) {
  check(`on a phone: ${view}`, `#view=${view}`, async (page) => {
    await page.getByRole('tab', { selected: true }).waitFor();
    if (view === 'layout') {
      await drawn(page, 'bf16[30,300]');
      await page.touchscreen.tap(...(await cell(page, '258')));
      await page.locator('.sheet').getByText('(2, 1) → offset 258').waitFor();
    }
  }, PHONE);
}

check('in the dark', `#l=${TILED}`, async (page) => {
  await drawn(page, TILED);
  const fill = await picture(page).locator('svg > rect').first().getAttribute('fill');
  assert.equal(fill, '#15191e');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('svg > rect[fill="#ffffff"]').first().waitFor();
}, { ...DESKTOP, colorScheme: 'dark' });
