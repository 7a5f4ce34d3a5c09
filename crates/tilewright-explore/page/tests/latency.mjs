// How long the page takes from a keystroke to the frame that has the picture of what was typed, and how
// much of that is the answer of the host, in milliseconds. A module answers in no request of its own.
//
// `npm run latency` measures it, and decides nothing. Hosts are given as to the tests.

import { chromium } from 'playwright-core';
import { host, started } from './host.mjs';

/** Layouts that are typed letter by letter, each after a first one that is drawn. */
const LAYOUTS = [
  'f32[3,5]{1,0:T(2,2)}',
  'bf16[30,300]{1,0:T(8,128)(2,1)}',
  'f32[4096,4096]{1,0:T(8,128)}',
  'bf16[16,8,1048576,4096]{3,2,1,0:T(8,128)(2,1)}',
  '((16,2),(16,3)):((16,256),(1,512))',
  'Sw<3,3,3> o 0 o (64,64):(64,1)',
];
const TIMES = 21;

/** From the keystroke to the frame in which the picture is of the text, in the browser; and the request. */
async function drawn(text) {
  const field = document.querySelector('input[role=combobox]');
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const type = (words) => {
    set.call(field, words);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const picture = () => document.querySelector('[role=application]');
  const until = (holds) =>
    new Promise((done) => {
      const look = () => (holds() ? done(performance.now()) : requestAnimationFrame(look));
      look();
    });
  type('u8[7]');
  await until(() => picture()?.getAttribute('aria-label').startsWith('u8[7]') && !picture().classList.contains('stale'));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  performance.clearResourceTimings();
  const from = performance.now();
  type(text);
  const isOf = () => !picture().getAttribute('aria-label').startsWith('u8[7]') && !picture().classList.contains('stale');
  const to = await until(isOf);
  const requests = performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/ask'));
  return [to - from, Math.max(0, ...requests.map((entry) => entry.duration))];
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

const own = host.url ? host : await started();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto(own.url);
await page.getByRole('application').waitFor();
console.log('picture        answer\nmedian   most median   most');
for (const text of LAYOUTS) {
  const times = [];
  for (let time = 0; time < TIMES; time += 1) times.push(await page.evaluate(drawn, text));
  const [pictures, answers] = [0, 1].map((n) => times.map((pair) => pair[n]));
  const told = [median(pictures), Math.max(...pictures), median(answers), Math.max(...answers)];
  const columns = told.map((ms) => ms.toFixed(0).padStart(6)).join(' ');
  console.log(`${columns}   ${text}`);
}
await browser.close();
own.process?.kill();
process.exit(0);
