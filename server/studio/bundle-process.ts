/** Run as a process of its own: bundles the studio for browsers, and writes its files to standard output. */
import { setPriority } from 'node:os';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BundledFile, packed } from './packed-files.ts';
import { studioPage } from './page.ts';

const STUDIO = join(import.meta.dir, '../../studio');
const ENTRIES = [join(STUDIO, 'main.tsx'), join(STUDIO, 'styles/first-sight.css')];
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
    entrypoints: ENTRIES,
    target: 'browser',
    splitting: true,
    minify: true,
    naming: '[name]-[hash].[ext]',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const named = (pattern: RegExp) => basename(outputs.find(({ path }) => pattern.test(path))?.path ?? '');
  const style = named(/\bfirst-sight-\w+\.css$/);
  // The entry's sheet holds those of all pages; the others repeat parts of it.
  const wholeStyle = named(/\bmain-\w+\.css$/);
  const script = named(/\bmain-\w+\.js$/);
  const needed = outputs.filter(
    ({ path }) => !path.endsWith('.css') || [style, wholeStyle].includes(basename(path)),
  );
  const assets = needed.map(async (output) => ({
    name: basename(output.path),
    type: output.type,
    bytes: new Uint8Array(await output.arrayBuffer()),
  }));
  const page = new TextEncoder().encode(studioPage({ script, style, wholeStyle }));
  return [{ name: '', type: 'text/html; charset=utf-8', bytes: page }, ...(await Promise.all(assets))];
}

function compressed({ name, type, bytes }: Made): BundledFile {
  const quality = bytes.length > LARGE ? BROTLI_QUALITY.large : BROTLI_QUALITY.best;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  return { name, type, gzip: gzipSync(bytes, { level: 9 }), br: brotliCompressSync(bytes, { params }) };
}
