// Makes ../assets/explorer.js and ../assets/explorer.css of src/, or those of the folder `OUTPUT`. The
// same sources give the same bytes.
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';

const licence = await readFile(new URL('node_modules/preact/LICENSE', import.meta.url), 'utf8');

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: { explorer: 'src/main.tsx' },
  outdir: process.env.OUTPUT ?? '../assets',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  charset: 'utf8',
  legalComments: 'none',
  // Not minified: what is committed can be read, and so can its changes.
  banner: {
    js: `/* Made of page/ by \`npm run build\`.\n\nPreact, which is in here:\n\n${licence.trim()}\n*/`,
    css: '/* Made of page/ by `npm run build`. */',
  },
});
