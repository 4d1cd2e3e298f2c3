/** Returns the studio's files in packed form. The package ships them; a checkout bundles them once and caches the result. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');
// Only a checkout has the studio's sources, and the libraries for the bundling.
const SOURCE = join(ROOT, 'studio', 'main.tsx');
const SHIPPED = join(ROOT, 'studio', 'built');
const CACHE = join(ROOT, 'node_modules', '.cache', 'skein');

// The sources of the bundle; bun.lock determines its libraries. One pattern per folder, because Bun.Glob doesn't match a slash
// in braces.
const CONTENT = ['studio', 'client', 'server/studio'].map((folder) => `${folder}/**/*.{ts,tsx,css,json}`);

const PROCESS = join(import.meta.dir, 'bundle-process.ts');
const TIMEOUT_MS = 120_000;

/** Throws if the bundling fails. */
export async function builtFiles(cache = CACHE): Promise<Uint8Array> {
  if (!existsSync(SOURCE)) return Bun.file(SHIPPED).bytes();
  const name = `studio-${await contentKey()}`;
  const cached = await Bun.file(join(cache, name))
    .bytes()
    .catch(() => undefined);
  if (cached) return cached;
  const bytes = await bundled();
  // If the cache isn't writable, the next start bundles again.
  await store(cache, name, bytes).catch(() => {});
  return bytes;
}

/** Writes the files to the folder from which they are packaged. Does nothing in an installed package. */
export async function shipFiles(): Promise<void> {
  if (existsSync(SOURCE)) await write(SHIPPED, await builtFiles());
}

/** The source files of the bundle, relative to the root of the checkout. */
export function sources(): string[] {
  return CONTENT.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]).sort();
}

async function contentKey(): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256').update(Bun.version);
  for (const path of ['bun.lock', ...sources()]) {
    const bytes = await Bun.file(join(ROOT, path)).bytes();
    hash.update(`\n${path} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex').slice(0, 32);
}

async function bundled(): Promise<Uint8Array> {
  const child = Bun.spawn([process.execPath, '--no-env-file', PROCESS], {
    // NODE_ENV selects React's production build.
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: TIMEOUT_MS,
  });
  const [bytes, errors] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`bundling the studio failed: ${errors.slice(0, 2_000)}`);
  return bytes;
}

/** Stores a bundle and deletes those of earlier sources. */
async function store(cache: string, name: string, bytes: Uint8Array): Promise<void> {
  await write(join(cache, name), bytes);
  const others = (await readdir(cache)).filter((one) => /^studio-[0-9a-f]+$/.test(one) && one !== name);
  await Promise.all(others.map((one) => rm(join(cache, one), { force: true })));
}

/** Writes a file atomically, so that concurrent readers never see a part of it. */
async function write(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(temporary, bytes);
  await rename(temporary, path);
}
