/** The studio's files as one block of bytes: the package ships it; a checkout bundles it once and keeps it. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');
// A package has no sources of the studio, nor the libraries that bundling takes.
const SOURCE = join(ROOT, 'studio', 'main.tsx');
const SHIPPED = join(ROOT, 'studio', 'built');
const CACHE = join(ROOT, 'node_modules', '.cache', 'skein');

/** What the bundle is made of, its libraries by the versions in bun.lock. */
// A slash in braces would match nothing.
const CONTENT = ['studio', 'client', 'server/studio'].map((folder) => `${folder}/**/*.{ts,tsx,css,json}`);

const PROCESS = join(import.meta.dir, 'bundle-process.ts');
const PATIENCE_MS = 120_000;

/** Throws where they cannot be bundled. */
export async function builtFiles(cache = CACHE): Promise<Uint8Array> {
  if (!existsSync(SOURCE)) return Bun.file(SHIPPED).bytes();
  const name = `studio-${await contentKey()}`;
  const kept = await Bun.file(join(cache, name))
    .bytes()
    .catch(() => undefined);
  if (kept) return kept;
  const bytes = await bundled();
  // Where nothing can be written, the next start bundles again.
  await keep(cache, name, bytes).catch(() => {});
  return bytes;
}

/** Puts the files where the package ships them from; a package has them already. */
export async function shipFiles(): Promise<void> {
  if (existsSync(SOURCE)) await write(SHIPPED, await builtFiles());
}

/** The files that the bundle is made of, from the root of the checkout. */
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
    // React is another one where this says that it is being developed.
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: PATIENCE_MS,
  });
  const [bytes, said] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`the studio cannot be bundled: ${said.slice(0, 2_000)}`);
  return bytes;
}

/** The newest alone: what earlier sources gave is not asked for again. */
async function keep(cache: string, name: string, bytes: Uint8Array): Promise<void> {
  await write(join(cache, name), bytes);
  const others = (await readdir(cache)).filter((one) => /^studio-[0-9a-f]+$/.test(one) && one !== name);
  await Promise.all(others.map((one) => rm(join(cache, one), { force: true })));
}

/** Whole or not at all, for those who read meanwhile. */
async function write(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(draft, bytes);
  await rename(draft, path);
}
