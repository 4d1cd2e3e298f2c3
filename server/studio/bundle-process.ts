/** Run as a process of its own: bundles the studio for browsers, and writes its files to standard output. */
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BundledFile, packed } from './packed-files.ts';
import { studioPage } from './page.ts';

const ENTRY = join(import.meta.dir, '../../studio/main.tsx');
// 11 takes twenty times as long and saves a few percent.
const BROTLI_QUALITY = 9;

if (import.meta.main) await Bun.write(Bun.stdout, packed((await bundled()).map(compressed)));

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
  const assets = outputs.map(async (output) => ({
    name: basename(output.path),
    type: output.type,
    bytes: new Uint8Array(await output.arrayBuffer()),
  }));
  const script = outputs.find(({ kind }) => kind === 'entry-point')?.path ?? '';
  const styles = outputs.filter(({ path }) => path.endsWith('.css')).map(({ path }) => basename(path));
  const page = new TextEncoder().encode(studioPage({ script: basename(script), styles }));
  return [{ name: '', type: 'text/html; charset=utf-8', bytes: page }, ...(await Promise.all(assets))];
}

function compressed({ name, type, bytes }: Made): BundledFile {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return { name, type, gzip: gzipSync(bytes, { level: 9 }), br: brotliCompressSync(bytes, { params }) };
}
