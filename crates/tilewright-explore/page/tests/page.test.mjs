// The page in a browser, used as somebody would.
//
// `TILEWRIGHT explore` serves it; or it is at `URL`, below any path; or `SITE` is a folder that is served.
// `CHROMIUM` is the browser. `UPDATE=1` writes what the views are to a screen reader (`aria/`) anew.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { matches } from './aria.mjs';
import { PHONE, check } from './browser.mjs';
import { EXAMPLES } from './examples.mjs';
import { isOurs, started } from './host.mjs';
import { module } from './module.mjs';

const TILED = 'f32[3,5]{1,0:T(2,2)}';

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

check('a layout is written as code, and copied', '#view=code&l=f32[3,5]{1,0:T(2,2)}', async (page) => {
  const code = page.locator('pre.code:not(.stale)');
  await code.filter({ hasText: 'static inline int64_t tw_offset(int64_t i0, int64_t i1)' }).waitFor();
  await page.getByRole('combobox', { name: 'language' }).selectOption('Python');
  await code.filter({ hasText: 'def tw_offset(i0, i1):' }).waitFor();
  await page.waitForURL(/lang=python/);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'copy', exact: true }).click();
  await page.getByText('copied', { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await code.textContent());
  await page.getByRole('combobox', { name: 'language' }).selectOption('CuTe');
  await page.getByText('CuTe has no padding').waitFor();
  assert.equal(await page.getByRole('button', { name: 'copy', exact: true }).isDisabled(), true);
});

check('a relayout is written as code', '#view=code&lang=cuda&pair=1&l=f32[4,6]&b=f32[4,6]{0,1}', async (page) => {
  const code = page.locator('pre.code:not(.stale)');
  await code.filter({ hasText: '__global__ void tw_relayout' }).waitFor();
  await page.getByRole('combobox', { name: 'other layout' }).fill('f32[6,4]');
  await page.getByText('[4, 6]').first().waitFor();
  await page.getByRole('combobox', { name: 'other layout' }).fill('f32[4,6]{1,0:T(2,2)}');
  await code.filter({ hasText: 'f32[4,6]{1,0:T(2,2)}' }).waitFor();
  await page.getByRole('checkbox', { name: 'relayout to another layout' }).uncheck();
  await code.filter({ hasNotText: 'tw_relayout' }).waitFor();
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

const UNET = fileURLToPath(new URL('../../../tilewright-hlo/tests/data/memory/unet-gradient.hlo', import.meta.url));

check('the timeline says who is alive, and leads to the buffers and back', '#view=hlo', async (page) => {
  await page.locator('input[type=file]').setInputFiles(UNET);
  const hbm = page.getByRole('region', { name: 'hbm over the schedule', exact: true });
  const now = hbm.getByRole('group', { name: 'alive in hbm' });
  await now.getByText('the peak, at split.3').waitFor();
  // At the peak are those of the table.
  const names = async (rows) => (await rows.allInnerTexts()).toSorted();
  const alive = hbm.locator('table tbody td:first-child');
  assert.deepEqual(await names(now.getByRole('button')), await names(alive));
  // At another moment there are others, and it is kept.
  const plot = hbm.getByRole('slider', { name: 'hbm over the schedule' });
  const box = await plot.boundingBox();
  await page.mouse.click(box.x + box.width * 0.75, box.y + 20);
  await now.getByRole('button', { name: 'copy.8' }).waitFor();
  await page.mouse.move(box.x, box.y);
  await now.getByText('kept until you click again').waitFor();
  await plot.press('Escape');
  await now.getByText('the peak, at split.3').waitFor();
  // From a row to its life, and from a band to its row.
  await alive.getByRole('button', { name: 'fusion.8{1}' }).click();
  assert.match(await hbm.locator('.tw-lit').innerText(), /^fusion\.8\{1\}/);
  await hbm.locator('.tw-lane').filter({ hasText: 'split.2' }).click();
  assert.match(await hbm.locator('tr.chosen').innerText(), /^split\.2/);
  // Groups, and one of them alone.
  await page.getByLabel('group by').selectOption('op');
  await hbm.getByRole('row').filter({ hasText: 'slice' }).getByRole('button').click();
  assert.deepEqual(await names(alive), ['split.2', 'split.3']);
  assert.equal(await hbm.locator('.tw-lane').count(), 2);
  await hbm.getByRole('button', { name: 'only slice' }).click();
  assert.equal(await alive.count(), 7);
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

check('every example shows what it promises', '', async (page) => {
  const names = await page.locator('.examples li strong').allTextContents();
  assert.deepEqual(names, Object.keys(EXAMPLES));
  for (const [name, { draws, picture: words, beside = [] }] of Object.entries(EXAMPLES)) {
    await page.getByText('examples', { exact: true }).click();
    await page.locator('.examples li button').filter({ has: page.getByText(name, { exact: true }) }).click();
    await page.getByRole('application', { name: draws }).and(page.locator(':not(.stale)')).waitFor();
    for (const word of words) await picture(page).locator('text').filter({ hasText: word }).first().waitFor();
    for (const word of beside) await page.locator('.card').filter({ hasText: word }).first().waitFor();
    await page.waitForFunction(() => !document.querySelector('.stale'));
    assert.equal(await page.locator('.wrong-note, .editor-error:not([hidden])').count(), 0, name);
  }
});

for (const [name, text] of [['an array of 2⁴⁶ elements', 'bf16[16,1048576,4194304]{2,1,0:T(8,128)(2,1)}'], ['a scalar', 'f32[]'], ['an empty array', 'f32[0,5]'], ['a tuple', '(f32[3], s32[])']]) {
  check(`${name} is no trouble`, `#l=${encodeURIComponent(text)}`, async (page) => {
    await page.getByRole('region', { name: 'sizes' }).waitFor();
  });
}

/** Each view, and what is there once it is whole. */
const WHOLE = {
  layout: (page) => drawn(page, 'bf16[30,300]'),
  compare: (page) => page.getByRole('region', { name: 'plan' }).waitFor(),
  algebra: (page) => drawn(page, '(3,(2,2))'),
  tpu: (page) => page.getByRole('region', { name: 'formats' }).waitFor(),
  code: (page) => page.locator('pre.code').filter({ hasText: 'tw_offset' }).waitFor(),
  hlo: async (page) => {
    await page.getByRole('button', { name: 'a small example' }).click();
    await page.getByRole('region', { name: 'formats of the parameters' }).waitFor();
  },
};

/** What is painted over, or reaches out of, what holds it: nothing should. */
const cutOff = (page) => page.evaluate(() => [...document.querySelectorAll('button, .card > *, .toolbar > *, h1, h2')]
  .filter((part) => part.clientWidth > 0 && !part.closest('.scrolls, .unseen, details:not([open]) ul'))
  .filter((part) => part.getBoundingClientRect().right > innerWidth + 1)
  .map((part) => part.outerHTML.slice(0, 80)));

for (const [view, whole] of Object.entries(WHOLE)) {
  check(`to a screen reader: ${view}`, `#view=${view}`, async (page) => {
    await whole(page);
    await matches(view, page.locator('#explorer'));
  });

  check(`on a phone: ${view}`, `#view=${view}`, async (page) => {
    await whole(page);
    assert.deepEqual(await cutOff(page), []);
    if (view === 'layout') {
      await page.touchscreen.tap(...(await cell(page, '258')));
      await page.locator('.sheet').getByText('(2, 1) → offset 258').waitFor();
    }
  }, PHONE);

  check(`in forced colours: ${view}`, `#view=${view}`, async (page) => {
    await whole(page);
    for (const field of await page.locator('.editor-input, textarea').all()) {
      assert.equal(await legible(field), true, 'what is typed is as its ground');
    }
    await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  }, { forcedColors: 'active' });

  check(`in the dark: ${view}`, `#view=${view}`, async (page) => {
    await whole(page);
    const parts = await page.locator('.card, .picture, .editor-field, header').all();
    for (const part of parts) assert.ok((await lightness(part)) < 60, 'a light ground in the dark');
    assert.ok(parts.length >= 2);
  }, { colorScheme: 'dark' });
}

/** Whether the colour of a part's text can be told from its ground. */
const legible = (part) => part.evaluate((element) => {
  const isClear = (color) => /^rgba\(.*, 0\)$/.test(color);
  const ground = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    return isClear(backgroundColor) ? ground(element.parentElement) : backgroundColor;
  };
  const { color } = getComputedStyle(element);
  return !isClear(color) && color !== ground(element);
});

/** How light a part's own ground is, of 255. */
const lightness = (part) => part.evaluate((element) => {
  const [red, green, blue] = getComputedStyle(element).backgroundColor.match(/\d+/g).map(Number);
  return Math.max(red, green, blue);
});

check('the picture is made for the dark, and again for the light', `#l=${TILED}`, async (page) => {
  await drawn(page, TILED);
  const fill = await picture(page).locator('svg > rect').first().getAttribute('fill');
  assert.equal(fill, '#15191e');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('svg > rect[fill="#ffffff"]').first().waitFor();
}, { colorScheme: 'dark' });

check('nothing moves where motion is reduced', '#l=f32[3,5', async (page) => {
  await page.locator('.stale').first().waitFor();
  const moving = await page.evaluate(() => [...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationName } = getComputedStyle(element);
    return transitionDuration !== '0s' || animationName !== 'none';
  }).length);
  assert.equal(moving, 0);
}, { reducedMotion: 'reduce' });

check('a title is in the address, above the view, and can be changed', `#l=${TILED}&title=A%20first%20tile`, async (page) => {
  const title = page.getByRole('heading').getByRole('textbox', { name: 'title' });
  assert.equal(await title.inputValue(), 'A first tile');
  await page.waitForFunction(() => document.title === 'A first tile · Tilewright');
  await title.fill('β & <b>');
  await page.waitForURL(/title=%CE%B2%20%26%20%3Cb%3E|title=β%20%26%20%3Cb%3E/);
  await page.waitForFunction(() => document.title === 'β & <b> · Tilewright');
  await title.fill('');
  await title.press('Enter');
  await title.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'title' }).click();
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'title');
  await page.keyboard.type('again');
  await page.waitForURL(/title=again/);
});

check('a byte is gone to', `#l=${TILED}`, async (page) => {
  await drawn(page, TILED);
  const byte = page.getByRole('textbox', { name: 'go to byte' });
  await byte.fill('70');
  await page.getByText('byte 3 of the 4 of (2, 3)').waitFor();
  await at(page, '(2, 3)').waitFor();
  assert.ok((await page.locator('.lit-spot').count()) >= 2, 'grid and memory are lit');
  await byte.fill('36');
  await page.getByText('padding: (0, 5) is beyond the array').waitFor();
  await at(page, '(0, 5)').getByText('padding').waitFor();
  await page.waitForURL(/at=0,5/);
  await byte.fill('96');
  await page.getByText('byte 96 is outside of the memory').waitFor();
  await byte.fill('ten');
  await page.getByText('a byte is a number').waitFor();
});

check('integers keep every digit', '#l=u8[9007199254740995]&at=9007199254740993', async (page) => {
  await place(page).getByText('9\u202f007\u202f199\u202f254\u202f740\u202f993').first().waitFor();
  await page.getByRole('region', { name: 'sizes' }).getByText('9\u202f007\u202f199\u202f254\u202f740\u202f995').first().waitFor();
  await page.getByRole('textbox', { name: 'go to byte' }).fill('9007199254740991');
  await at(page, '(9007199254740991)').waitFor();
  await page.getByRole('textbox', { name: 'go to byte' }).fill('9007199254740994');
  await at(page, '(9007199254740994)').waitFor();
});

const DUMP = 'HloModule arrived\n\nENTRY e {\n  ROOT p = f32[3,5]{1,0:T(2,2)} parameter(0)\n}\n';

/** Drops or pastes a text as somebody else's program hands it over. */
const arrive = (page, selector, kind, words) => page.locator(selector).evaluate((element, [kind, words]) => {
  const data = new DataTransfer();
  if (kind === 'drop') data.items.add(new File([words], 'dump.hlo', { type: 'text/plain' }));
  else data.setData('text/plain', words);
  const about = { bubbles: true, cancelable: true };
  element.dispatchEvent(kind === 'drop' ? new DragEvent(kind, { ...about, dataTransfer: data }) : new ClipboardEvent(kind, { ...about, clipboardData: data }));
}, [kind, words]);

check('a file is dropped anywhere', `#l=${TILED}`, async (page) => {
  await drawn(page, TILED);
  await arrive(page, 'header', 'drop', DUMP);
  await page.getByRole('tab', { name: 'HLO', selected: true }).waitFor();
  await page.getByText('arrived').waitFor();
  assert.doesNotMatch(page.url(), /arrived/);
});

check('a text is pasted anywhere: lines are a dump, a line is a layout', '', async (page) => {
  await drawn(page, 'bf16[30,300]');
  await arrive(page, 'body', 'paste', `${TILED}\n`);
  await drawn(page, TILED);
  assert.equal(await layout(page).inputValue(), TILED);
  await arrive(page, '.editor-input', 'paste', DUMP);
  await page.getByRole('region', { name: 'Buffers, by padding' }).waitFor();
  assert.equal(await page.locator('#dump').inputValue(), DUMP);
  await arrive(page, 'body', 'paste', 'f32[4,4]');
  await drawn(page, 'f32[4,4]');
});

check('the formats that parameters would do better in', '#view=hlo', async (page) => {
  await page.getByRole('button', { name: 'a small example' }).click();
  await page.getByRole('button', { name: 'find them' }).click();
  const formats = page.getByRole('region', { name: 'formats of the parameters' });
  await formats.getByRole('row').filter({ hasText: 'column' }).getByText('f32[1024,1]{0,1:T(1,128)}').click();
  await drawn(page, 'f32[1024,1]{0,1:T(1,128)}');
});

const ANSWER = JSON.stringify([{ error: { message: 'so says the module' } }]);

/** The same page as a static site would have it: another word in its document, and a module beside it. */
const asSite = (bytes) => async (page, own) => {
  const document = await (await fetch(own)).text();
  const body = document.replace(/data-host="\w+"/, 'data-host="wasm"');
  await page.route(own, (route) => route.fulfill({ body, contentType: 'text/html; charset=utf-8' }));
  await page.route(`${own}ask.wasm`, (route) => bytes ? route.fulfill({ body: bytes, contentType: 'application/wasm' }) : route.fulfill({ status: 404 }));
};

check('a module beside the page answers, and is started again after a mistake', '#l=f32[3]', async (page) => {
  await page.getByText('so says the module').first().waitFor();
  await layout(page).fill('f32[3]!');
  await page.getByText('this question found a mistake in ask.wasm, which has been started again').first().waitFor();
  await layout(page).fill('f32[4]');
  await page.getByText('so says the module').first().waitFor();
}, { prepare: asSite(module(ANSWER)) });

check('a module that is not there is said', '#l=f32[3]', async (page) => {
  await page.getByText('ask.wasm, which answers, could not be loaded').first().waitFor();
}, { prepare: asSite(null), allows: /404|ask\.wasm/ });

const forward = (page) => page.getByRole('button', { name: 'forward' });
const back = (page) => page.getByRole('button', { name: 'back' });
const says = (page, words) => page.locator('.stepper-says').getByText(words);
const settled = (page) => page.waitForFunction(() => !document.querySelector('.stale'));

check('the steps of a tiling one at a time', `#l=${TILED}&steps=1`, async (page) => {
  const caption = (words) => picture(page).locator('text').filter({ hasText: words });
  await says(page, 'all 4 steps').waitFor();
  await caption('the array [3,5]').waitFor();
  assert.equal(await back(page).isDisabled(), true);
  await forward(page).click();
  await says(page, '1 of 4: the array [3,5]').waitFor();
  await page.waitForURL(/&step=0$/);
  await caption('pad to [4,6]').waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowRight');
  await says(page, '2 of 4: pad to [4,6]').waitFor();
  await caption('pad to [4,6]').waitFor();
  await caption('the array [3,5]').waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await says(page, '4 of 4: transpose by (0,2,1,3)').waitFor();
  await caption('transpose by (0,2,1,3)').waitFor();
  assert.equal(await forward(page).isDisabled(), true);
  await page.waitForURL(/&step=3$/);
  await page.keyboard.press('ArrowLeft');
  await caption('reshape to [2,2,3,2]').waitFor();
  // Another text has other steps: all of them again.
  await layout(page).fill('f32[3,5]{1,0:T(2,4)}');
  await says(page, 'all 4 steps').waitFor();
  await caption('pad to [4,8]').waitFor();
});

const MOVES = '#view=compare&l=f32[10,6]{1,0:T(2,4)}&b=f32[10,6]{1,0:T(4,2)}';
const runs = async (page) => Number((await says(page, /all of \d+ runs/).innerText()).match(/\d+/)[0]);

check('a relayout is stepped through', MOVES, async (page) => {
  await page.getByLabel('what a relayout moves').check();
  const n = await runs(page);
  assert.ok(n > 3);
  await forward(page).click();
  await says(page, `run 1 of ${n}`).waitFor();
  await page.waitForURL(/moves=1&frame=0/);
  await page.keyboard.press('ArrowRight');
  await says(page, `run 2 of ${n}`).waitFor();
  const slider = page.getByRole('slider', { name: 'run' });
  await slider.fill(String(n));
  await says(page, `run ${n} of ${n}`).waitFor();
  assert.equal(await forward(page).isDisabled(), true);
  await slider.press('ArrowLeft');
  await says(page, `run ${n - 1} of ${n}`).waitFor();
  await settled(page);
  await page.getByRole('button', { name: 'exchange the two' }).click();
  await says(page, /all of \d+ runs/).waitFor();
});

check('a relayout plays to its end, and again from its beginning', '#view=compare&moves=1&l=f32[2,4]&b=f32[2,4]{1,0:T(2,2)}', async (page) => {
  const n = await runs(page);
  await page.getByRole('button', { name: 'play' }).click();
  await page.getByRole('button', { name: 'pause' }).waitFor();
  await says(page, `run ${n} of ${n}`).waitFor();
  await page.getByRole('button', { name: 'play' }).click();
  await says(page, `run 1 of ${n}`).waitFor();
  await page.getByRole('button', { name: 'pause' }).click();
  await page.getByRole('button', { name: 'play' }).waitFor();
});

check('nothing plays by itself where motion is reduced', `${MOVES}&moves=1`, async (page) => {
  await says(page, /all of \d+ runs/).waitFor();
  assert.equal(await page.getByRole('button', { name: 'play' }).count(), 0);
  await forward(page).click();
  await says(page, /run 1 of \d+/).waitFor();
}, { reducedMotion: 'reduce' });

check('a piece of the text lights its tiles, and a cell the pieces for it', '#l=bf16[4,8]{1,0:T(2,4)(2,1)}', async (page) => {
  await drawn(page, 'bf16[4,8]');
  const blocks = page.locator('.lit-block');
  const piece = (words) => page.getByRole('listitem').filter({ hasText: words });
  await piece('tiles of 2 × 4').hover();
  await page.locator('.lit-block.level-0').nth(3).waitFor();
  assert.equal(await page.locator('.lit-block.level-1').count(), 0);
  await piece('tiles of 2 × 1').hover();
  await page.locator('.lit-block.level-1').nth(15).waitFor();
  await piece('bfloat16').hover();
  await blocks.first().waitFor({ state: 'detached' });
  // The text itself, where it is typed, as well.
  const painted = await page.locator('.editor-paint .tile-0').boundingBox();
  await page.mouse.move(painted.x + 5, painted.y + 5);
  await page.locator('.lit-block.level-0').nth(3).waitFor();
  await page.mouse.move(5, 5);
  await blocks.first().waitFor({ state: 'detached' });
  await picture(page).focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('.lit-block.level-0').waitFor();
  assert.deepEqual(await page.locator('.editor-paint .lit').allInnerTexts(), ['(2,4)', '(2,1)']);
});

check('offsets are counted in blocks of memory', `#l=${TILED}`, async (page) => {
  await drawn(page, TILED);
  for (const [unit, last] of [['elements', '17'], ['bytes', '68'], ['4-byte blocks', '17'], ['16-byte blocks', '4'], ['64-byte blocks', '1']]) {
    await page.getByLabel('count in').selectOption(unit);
    await settled(page);
    await picture(page).locator('text').filter({ hasText: new RegExp(`^${last}$`) }).first().waitFor();
  }
  await page.waitForURL(/unit=bytes:64/);
});

check('a place that is left out is brought into view', '#at=14,77', async (page) => {
  await at(page, '(14, 77)').waitFor();
  await page.locator('.lit-spot').first().waitFor();
  await picture(page).locator('text').filter({ hasText: /^77$/ }).first().waitFor();
});

/** A host that a test may end, and where only somebody else's is there, why not. */
const other = {};
const skip = isOurs ? false : 'the host is not ours to end';
if (!skip) {
  before(async () => Object.assign(other, await started()));
  after(() => other.process?.kill());
}

check('a host that has been ended is said', '', async (page) => {
  await drawn(page, 'bf16[30,300]');
  other.process.kill();
  await once(other.process, 'exit');
  await layout(page).fill(TILED);
  await page.getByText('the host does not answer').first().waitFor();
  assert.match(await picture(page).getAttribute('class'), /stale/);
}, { of: other, skip, allows: /ERR_CONNECTION_REFUSED/ });
