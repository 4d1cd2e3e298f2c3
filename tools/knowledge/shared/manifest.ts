/** The manifest of an index in an object store: a small object that is replaced with each change. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Entry } from '../local/index/catalog.ts';
import type { ObjectStore } from '../storage/object-store.ts';

export interface Manifest {
  /** The version of the format. */
  format: 1;
  /** Identifies this write, so that a writer that got no response can recognize its own manifest. */
  write: string;
  /** The name of the tables. */
  tables: string;
  /** The highest revision that was assigned before this write. Later revisions are being written. */
  newest: number;
  documents: readonly Entry[];
  /** Revisions that belong to no document, but whose passages may still exist. */
  stale: readonly number[];
}

export interface ReadManifest {
  manifest: Manifest;
  tag: string;
}

const NAME = 'catalog.json.gz';
const MAX_BYTES = 64 * 1024 * 1024;
const [packed, unpacked] = [promisify(gzip), promisify(gunzip)];

// Missing in earlier versions.
const NO_RETRIES = { retryAt: null, tries: 0 };

/** Reads the manifest in a folder of the store. Undefined if it doesn't exist; `unchanged` if its tag is `unless`. */
export async function readManifest(
  store: ObjectStore,
  folder: string,
  unless?: string,
): Promise<ReadManifest | 'unchanged' | undefined> {
  const found = await store.get(folder + NAME, { unless, limit: MAX_BYTES });
  if (found === undefined || found === 'unchanged') return found;
  const text = (await unpacked(found.bytes)).toString();
  const read = JSON.parse(text, (key, value) => (key === 'modified' ? new Date(value) : value)) as Manifest;
  const documents = read.documents.map((entry) => ({ ...NO_RETRIES, ...entry }));
  return { manifest: { ...read, documents }, tag: found.tag };
}

/** Returns the new tag; undefined, without writing, if the current tag is not `replaces`. */
export async function writeManifest(
  store: ObjectStore,
  folder: string,
  { manifest, replaces }: { manifest: Manifest; replaces: string | undefined },
): Promise<string | undefined> {
  const bytes = new Uint8Array(await packed(JSON.stringify(manifest)));
  const tag = await store.put(folder + NAME, bytes, replaces === undefined ? 'absent' : { tag: replaces });
  if (tag !== undefined) return tag;
  // The response to an earlier attempt may have been lost.
  const there = await readManifest(store, folder);
  return typeof there === 'object' && there.manifest.write === manifest.write ? there.tag : undefined;
}

export async function removeManifest(store: ObjectStore, folder: string): Promise<void> {
  await store.remove(folder + NAME);
}
