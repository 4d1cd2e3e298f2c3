/**
 * Caches the schemas of types on disk, because reading types takes seconds. The key is a hash of the content on which the types
 * depend.
 */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GraphSource, GraphTypes } from './graph-types.ts';

/** `extractor` is the path of the module that reads types; the cache is stored next to the packages. */
export async function cachedSchemas(source: GraphSource, extractor: string): Promise<GraphTypes | undefined> {
  const { folder, name } = await cachePathOf(source, extractor);
  const text = await Bun.file(join(folder, name))
    .text()
    .catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** If the cache cannot be written, the next start reads the types again. */
export async function cacheSchemas(source: GraphSource, extractor: string, types: GraphTypes): Promise<void> {
  const { folder, name, prefix } = await cachePathOf(source, extractor);
  const draft = join(folder, `.${crypto.randomUUID()}`);
  try {
    await mkdir(folder, { recursive: true });
    await Bun.write(draft, JSON.stringify(types));
    await rename(draft, join(folder, name));
    const earlier = (await readdir(folder)).filter((one) => one.startsWith(prefix) && one !== name);
    await Promise.all(earlier.map((one) => rm(join(folder, one), { force: true })));
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}

async function cachePathOf({ file, export: symbol }: GraphSource, extractor: string) {
  const packages = extractor.slice(0, extractor.lastIndexOf('/node_modules/'));
  const prefix = `types-${hashOf([file, symbol]).slice(0, 16)}-`;
  const key = hashOf([Bun.version, extractor, ...(await contentOf(file, extractor))]).slice(0, 32);
  return { folder: join(packages, 'node_modules/.cache/skein'), prefix, name: `${prefix}${key}.json` };
}

function hashOf(texts: readonly string[]): string {
  const hash = new Bun.CryptoHasher('sha256');
  for (const text of texts) hash.update(`${text.length} ${text}\n`);
  return hash.digest('hex');
}

/** Includes type-only imports, which Bun's own scanner skips. */
const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\n]+)['"]/g;
const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * The texts of the file, of its imports and of the compiler settings. For a package, its package.json, which contains the
 * version.
 */
async function contentOf(file: string, extractor: string): Promise<string[]> {
  const texts = new Map<string, string>();
  const queue = [file, extractor, ...settingsAbove(dirname(file))];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const [folder] = PACKAGE_FOLDER.exec(path) ?? [];
    const read = folder === undefined ? path : join(folder, 'package.json');
    if (texts.has(read)) continue;
    const text = await Bun.file(read)
      .text()
      .catch(() => '');
    texts.set(read, text);
    if (folder !== undefined) continue;
    for (const [, name = ''] of text.matchAll(IMPORTED)) queue.push(...resolved(name, dirname(path)));
  }
  return [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).flat();
}

function settingsAbove(folder: string): string[] {
  const above = dirname(folder);
  return [join(folder, 'tsconfig.json'), ...(above === folder ? [] : settingsAbove(above))];
}

/** Imports that only the compiler can resolve, and Bun can't, are not part of the key. */
function resolved(name: string, folder: string): string[] {
  try {
    const path = Bun.resolveSync(name, folder);
    return path.startsWith('/') ? [path] : [];
  } catch {
    return [];
  }
}
