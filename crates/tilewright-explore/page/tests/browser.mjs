// A browser, the page's host, and tests that have a page of their own.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { host, started } from './host.mjs';

export const DESKTOP = { viewport: { width: 1280, height: 900 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let browser;

before(async () => {
  if (!host.url) Object.assign(host, await started());
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
});

after(async () => {
  await browser?.close();
  host.process?.kill();
});

/**
 * A test with a page of its own. Nothing is said on the console, nobody but the host is asked, and the page
 * never goes sideways. `prepare` is done before the page is opened; `allows` says what may be on the console;
 * `skip` is why this host cannot be asked.
 */
export function check(name, hash, use, { prepare, allows, skip = false, of = host, ...options } = {}) {
  test(name, { skip }, async () => {
    const context = await browser.newContext({ ...DESKTOP, ...options, acceptDownloads: true });
    const page = await context.newPage();
    const said = [];
    const say = (words) => allows?.test(words) || said.push(words);
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && say(message.text()));
    page.on('pageerror', (error) => say(error.message));
    const own = new URL('.', of.url).href;
    await page.route('**', (route) => {
      const asked = route.request().url();
      if (asked.startsWith(own)) return route.continue();
      say(`asks ${asked}`);
      return route.abort();
    });
    try {
      await prepare?.(page, own);
      await page.goto(own + hash);
      await use(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wide, 0, 'the page goes sideways');
      assert.deepEqual(said, []);
    } finally {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
  });
}
