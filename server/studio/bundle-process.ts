/** Run as a process of its own: bundles the studio for browsers, and writes its files to standard output. */
import { setPriority } from 'node:os';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BundledFile, packed } from './packed-files.ts';
import { studioPage } from './page.ts';

const ENTRY = join(import.meta.dir, '../../studio/main.tsx');
// The best takes twenty times as long and saves 8 %: for what a first visit loads, and not for the libraries of charts and editors.
const BROTLI_QUALITY = { best: 11, large: 9 };
const LARGE = 300_000;

// Where the cores are few, the service's own work goes first.
const NICE = 5;

if (import.meta.main) {
  setPriority(NICE);
  await Bun.write(Bun.stdout, packed((await bundled()).map(compressed)));
}

interface Made {
  name: string;
  type: string;
  bytes: Uint8Array;
}

async function bundled(): Promise<Made[]> {
  const { outputs } = await Bun.build({
    entrypoints: [ENTRY],
    target: 'browser',
    splitting: true,
    minify: true,
    naming: '[name]-[hash].[ext]',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  // The entry's sheet holds those of all pages; the others repeat parts of it.
  const style = outputs.find(({ path }) => /\bmain-\w+\.css$/.test(path))?.path ?? '';
  const needed = outputs.filter(({ path }) => path === style || !path.endsWith('.css'));
  const assets = needed.map(async (output) => ({
    name: basename(output.path),
    type: output.type,
    bytes: new Uint8Array(await output.arrayBuffer()),
  }));
  const script = outputs.find(({ kind }) => kind === 'entry-point')?.path ?? '';
  const page = new TextEncoder().encode(studioPage({ script: basename(script), style: basename(style) }));
  return [{ name: '', type: 'text/html; charset=utf-8', bytes: page }, ...(await Promise.all(assets))];
}

function compressed({ name, type, bytes }: Made): BundledFile {
  const quality = bytes.length > LARGE ? BROTLI_QUALITY.large : BROTLI_QUALITY.best;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  return { name, type, gzip: gzipSync(bytes, { level: 9 }), br: brotliCompressSync(bytes, { params }) };
}
