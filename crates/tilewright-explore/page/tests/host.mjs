// Where the page is: served by the command, as files of a folder, or by somebody else.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { serve } from './serve.mjs';

/** The host, and where the page is. The process is there only where it was started for these tests. */
export const host = { url: process.env.SITE ? await serve(process.env.SITE) : process.env.URL, process: undefined };

/** Whether the host is one that these tests start, and may end. */
export const isOurs = !host.url;

/** The command, serving the page until it is ended. */
export async function started() {
  const child = spawn(process.env.TILEWRIGHT ?? 'tilewright', ['explore', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) return { url: line, process: child };
  throw new Error('the host says no address');
}
