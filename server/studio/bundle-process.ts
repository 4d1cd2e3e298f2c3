/** The main module of a child process that bundles the studio for browsers. Prints the packed files to standard output. */
import { setPriority } from 'node:os';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BundledFile, packed } from './packed-files.ts';
import { studioPage } from './page.ts';

const STUDIO = join(import.meta.dir, '../../studio');
const ENTRIES = [join(STUDIO, 'main.tsx'), join(STUDIO, 'styles/first-sight.css')];
// Quality 11 takes twenty times as long as 9 and saves 8 %. Worth it for the files of a first visit, but not for the large
// libraries of charts and editors.
const BROTLI_QUALITY = { best: 11, large: 9 };
const LARGE = 300_000;

// A lower priority, so that the service's own work comes first on few cores.
const NICE = 5;

if (import.meta.main) {
  setPriority(NICE);
  await Bun.write(Bun.stdout, packed((await bundled()).map(compressed)));
}

interface OutputFile {
  name: string;
  type: string;
  bytes: Uint8Array;
}

async function bundled(): Promise<OutputFile[]> {
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
  // The style sheet of the entry contains those of all pages, so the others aren't needed.
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

function compressed({ name, type, bytes }: OutputFile): BundledFile {
  const quality = bytes.length > LARGE ? BROTLI_QUALITY.large : BROTLI_QUALITY.best;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  return { name, type, gzip: gzipSync(bytes, { level: 9 }), br: brotliCompressSync(bytes, { params }) };
}
