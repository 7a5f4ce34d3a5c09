// The whole site as a reader has it: served as files from below a path. `SITE` is its folder, `CHROMIUM` the browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, check } from './browser.mjs';
import { host } from './host.mjs';

/** The addresses that a page leads to or loads, and the names within it that can be led to. */
function read(html) {
  const code = /<(pre|code|script)\b.*?<\/\1>/gs;
  const scripts = [...html.matchAll(/<script\b[^>]*\bsrc="([^"]*)"/g)].map(([, address]) => address);
  const shown = html.replace(code, '');
  const led = [...shown.matchAll(/(?:\s|:)(?:href|src|srcset)="([^"]*)"/g)].map(([, address]) => address);
  const names = new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, name]) => name));
  return { addresses: [...led, ...scripts].map((address) => address.replaceAll('&amp;', '&')), names };
}

test('every link leads somewhere, and none leaves the site', async () => {
  const pages = new Map();
  const get = async (url) => {
    if (!pages.has(url)) {
      const response = await fetch(url);
      assert.equal(response.status, 200, url);
      const isPage = response.headers.get('content-type').startsWith('text/html');
      pages.set(url, isPage ? read(await response.text()) : { addresses: [], names: new Set() });
      if (!isPage) await response.arrayBuffer().catch(() => {});
    }
    return pages.get(url);
  };
  const left = [host.url];
  let nLinks = 0;
  while (left.length > 0) {
    const url = left.pop();
    for (const address of (await get(url)).addresses) {
      if (address.startsWith('data:')) continue;
      const to = new URL(address, url);
      assert.ok(to.href.startsWith(host.url), `${url} leads to ${address}`);
      const name = decodeURIComponent(to.hash.slice(1));
      to.hash = '';
      nLinks += 1;
      if (!pages.has(to.href)) {
        await get(to.href);
        left.push(to.href);
      }
      // What is behind `#` on the explorer's page is its state.
      const isName = name && !to.pathname.endsWith('/explorer/index.html');
      assert.ok(!isName || (await get(to.href)).names.has(name), `${url} leads to ${address}`);
    }
  }
  assert.ok(pages.size > 100 && nLinks > 1000, `${pages.size} pages, ${nLinks} links`);
});

check('the search finds', 'index.html', async (page) => {
  await page.keyboard.press('s');
  await page.getByRole('searchbox').pressSequentially('donated');
  await page.locator('#mdbook-searchresults a').filter({ hasText: 'Out of memory' }).first().click();
  await page.getByRole('heading', { name: 'Out of memory on a TPU' }).waitFor();
});

check('the explorer answers within its chapter', 'explorer.html', async (page) => {
  const inside = page.frameLocator('iframe.explorer');
  await inside.getByRole('application', { name: 'f32[3,5]{1,0:T(2,2)}' }).waitFor();
  await inside.getByText('96 bytes').first().waitFor();
});

check('a chapter opens the explorer at its layout', 'guides/kernel.html', async (page) => {
  await page.getByRole('link', { name: 'Try it' }).click();
  await page.getByRole('application', { name: 'Sw<3,3,3> o 0 o (8,64):(64,1)' }).waitFor();
});

check('pictures follow the theme', 'concepts/tiles.html', async (page) => {
  const shown = () => page.locator('picture img').first().evaluate((image) => image.currentSrc);
  await page.waitForFunction(() => document.querySelector('picture img').currentSrc.endsWith('tiles.svg'));
  await page.evaluate(() => document.documentElement.classList.replace('light', 'navy'));
  await page.waitForFunction(() => document.querySelector('picture img').currentSrc.endsWith('tiles-dark.svg'));
  assert.match(await shown(), /tiles-dark\.svg$/);
});

for (const chapter of ['index', 'start', 'explorer', 'guides/memory', 'guides/kernel', 'reference/grammar', 'reference/catalogue', 'reference/python']) {
  check(`${chapter} on a phone`, `${chapter}.html`, (page) => page.getByRole('heading', { level: 1 }).first().waitFor(), PHONE);
}
