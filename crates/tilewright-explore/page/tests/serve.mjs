// A server of the files in a folder, below a path, as those that host sites are.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Serves the folder until the process ends. Resolves to the address. */
export async function serve(folder, path = '/x/y/') {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const name = pathname.slice(path.length).replace(/(^|\/)$/, '$1index.html');
    const file = join(folder, name);
    const isThere = pathname.startsWith(path) && /^[\w.-]+(\/[\w.-]+)*$/.test(name) && !name.includes('..') && (await stat(file).catch(() => null))?.isFile();
    if (!isThere) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  server.unref();
  return `http://127.0.0.1:${server.address().port}${path}`;
}
