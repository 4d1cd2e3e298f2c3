/**
 * Opens the index of a library, and recreates it if it cannot be used, because everything in it can be rebuilt from the
 * documents.
 */
import { existsSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CUTTING } from '../../documents/chunk.ts';
import type { Embedder } from '../../embedding/embedder.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { type KnownPassages, knownPassages } from './known-passages.ts';
import type { LibraryLog } from './log.ts';
import { openPassages, type Passages } from './passages.ts';

export interface Index {
  /** The embedder that created its vectors. */
  embedder: Embedder;
  catalog: Catalog;
  passages: Passages;
  /** The vocabulary that searches use. */
  known: KnownPassages;
  /** Whether its files are still those that were opened. */
  isThere(): boolean | Promise<boolean>;
  close(): void;
}

interface IndexFolder {
  folder: string;
  embedder: Embedder;
  log: LibraryLog;
}

const CATALOG = 'catalog.sqlite';
// Only these files are deleted, because the setting may name the wrong folder.
const FILES = [CATALOG, `${CATALOG}-wal`, `${CATALOG}-shm`, 'passages.lance'];

/** Must only be called by the process that holds the lock. */
export async function openIndex(location: IndexFolder): Promise<Index> {
  const identity = identityOf(location.embedder);
  try {
    const index = await openFiles(location);
    const made = index.catalog.identity();
    if (made === identity) {
      await agree(index, location.log);
      return index;
    }
    index.close();
    if (made !== undefined)
      location.log.info({ before: made, now: identity }, 'the embedder changed: all documents are reindexed');
  } catch (err) {
    location.log.warn({ err }, 'the index cannot be read and is being rebuilt');
  }
  return newIndex(location);
}

/** Deletes the index and creates an empty one. */
export async function newIndex(location: Omit<IndexFolder, 'log'>): Promise<Index> {
  await Promise.all(FILES.map((file) => rm(join(location.folder, file), { recursive: true, force: true })));
  const index = await openFiles(location);
  index.catalog.identify(identityOf(location.embedder));
  return index;
}

/** Opens an index that another process writes, for reading. Undefined if no index of this embedder exists. */
export async function readIndex(folder: string, embedder: Embedder): Promise<Index | undefined> {
  if (!existsSync(join(folder, CATALOG))) return undefined;
  const index = await openFiles({ folder, embedder }, true);
  if (index.catalog.identity() === identityOf(embedder)) return index;
  index.close();
  return undefined;
}

/** Opens the catalog of an index that another process writes, for reading. Undefined if no index of this embedder exists. */
export function readCatalog(folder: string, embedder: Embedder): Catalog | undefined {
  const file = join(folder, CATALOG);
  if (!existsSync(file)) return undefined;
  const catalog = openCatalog(file, { readonly: true });
  if (catalog.identity() === identityOf(embedder)) return catalog;
  catalog.close();
  return undefined;
}

async function openFiles({ folder, embedder }: Omit<IndexFolder, 'log'>, readonly = false): Promise<Index> {
  if (!readonly) await mkdir(folder, { recursive: true });
  const file = join(folder, CATALOG);
  const catalog = openCatalog(file, { readonly });
  try {
    const passages = await openPassages(folder, { readonly });
    const { ino } = statSync(file);
    return {
      embedder,
      catalog,
      passages,
      known: knownPassages(catalog, passages),
      isThere: () => statSync(file, { throwIfNoEntry: false })?.ino === ino && passages.isThere(),
      close() {
        passages.close();
        catalog.close();
      },
    };
  } catch (error) {
    catalog.close();
    throw error;
  }
}

/**
 * Makes table and catalog consistent. After a kill, the table may contain passages that were never committed; they are removed.
 * After a power failure, it may lack committed passages; their documents are read again. `newest`: later revisions belong to
 * another writer, which has taken over.
 */
export async function agree(
  { catalog, passages }: Index,
  log: LibraryLog,
  newest = Number.POSITIVE_INFINITY,
): Promise<void> {
  const counts = await passages.counts();
  await retryNow(catalog);
  const entries = [...catalog.entries()];
  const incomplete = entries.filter(({ revision, chunks }) => (counts.get(revision) ?? 0) !== chunks);
  for (const { revision } of entries) counts.delete(revision);
  const all = new Set([...counts.keys(), ...catalog.stale()]);
  const removed = [...all].filter((revision) => revision <= newest);
  for (let at = 0; at < removed.length; at += 500) await passages.remove(removed.slice(at, at + 500));
  await catalog.purge(removed);
  if (incomplete.length === 0) return;
  log.warn(
    { documents: incomplete.length },
    'the index lacks passages of some documents; they are read again',
  );
  await catalog.commit(
    incomplete.map((entry) => ({ ...entry, stamp: '', hash: '' })),
    [],
  );
}

/** Retries failed documents, because the cause may be gone with the earlier process. */
async function retryNow(catalog: Catalog): Promise<void> {
  const failed = [...catalog.entries()].filter(({ retryAt }) => retryAt !== null);
  if (failed.length > 0)
    await catalog.commit(
      failed.map((entry) => ({ ...entry, retryAt: 0 })),
      [],
    );
}

/** Identifies the embedder and version of an index. */
export function identityOf({ name }: Embedder): string {
  return `${name}, cut ${CUTTING}`;
}
