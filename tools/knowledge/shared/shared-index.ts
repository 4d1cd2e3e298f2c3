/**
 * An index in an object store, opened by the server that writes it. Conditional writes of the manifest exclude a second writer.
 */
import { createHash } from 'node:crypto';
import { SkeinError } from '../../../state/errors.ts';
import type { Embedder } from '../embedding/embedder.ts';
import { knownPassages } from '../local/index/known-passages.ts';
import type { LibraryLog } from '../local/index/log.ts';
import { agree, type Index, identityOf } from '../local/index/open-index.ts';
import type { IndexStorage } from '../local/indexed-library.ts';
import { storageFailure } from '../storage/failure.ts';
import type { StoreLocation } from '../storage/open-store.ts';
import { type Manifest, readManifest, removeManifest, writeManifest } from './manifest.ts';
import { dropOthers, openTables, type Tables, type TablesOptions } from './tables.ts';
import { writerCatalog } from './writer-catalog.ts';

// A paused writer may use this many more revisions before it learns that it was replaced.
const OTHERS_REVISIONS = 65_536;
const TRY_AGAIN_MS = 1_000;

/**
 * Each embedder has a separate index, so that both indexes work while servers are replaced by servers with another embedder.
 */
export function indexFolder(embedder: Embedder): string {
  return `${createHash('sha256').update(identityOf(embedder)).digest('hex').slice(0, 12)}/`;
}

/** `lost` aborts when another server may have begun to write. */
export function sharedIndex(location: StoreLocation, lost: AbortSignal): IndexStorage {
  async function open(embedder: Embedder, log: LibraryLog, isRenewed: boolean): Promise<Index> {
    if (lost.aborted) throw new SkeinError('SHUTTING_DOWN');
    const folder = indexFolder(embedder);
    const store = await location.store();
    const found = await readManifest(store, folder);
    const before = typeof found === 'object' ? found : undefined;
    const begun = begunManifest(before?.manifest, isRenewed);
    const tag = await writeManifest(store, folder, { manifest: begun, replaces: before?.tag });
    if (tag === undefined)
      throw storageFailure(location.setting, new Error('another server writes the index'));
    const at = { location, folder, name: begun.tables };
    const tables = await openTables({ ...at, readonly: false });
    try {
      const catalog = writerCatalog({ location, folder, manifest: begun, tag, parents: tables.parents });
      const index = indexOf(embedder, tables, catalog);
      await agree(index, log, begun.newest);
      await dropOthers(at).catch(() => {});
      return index;
    } catch (error) {
      tables.close();
      throw error;
    }
  }

  /** Whether the tables cannot be opened although the store responds. */
  async function isDamaged(embedder: Embedder): Promise<boolean> {
    const folder = indexFolder(embedder);
    const found = await readManifest(await location.store(), folder);
    if (typeof found !== 'object') return false;
    await Bun.sleep(TRY_AGAIN_MS);
    const isReadable = await counted({ location, folder, name: found.manifest.tables, readonly: true });
    if (!isReadable) await (await location.store()).probe();
    return !isReadable;
  }

  return {
    missing: 'the index was removed or written by another server and is being reopened',
    // Nothing to lock, because the caller has the lease.
    hold() {},
    release() {},
    async open({ embedder, log }) {
      try {
        return await open(embedder, log, false);
      } catch (error) {
        if (lost.aborted || !(await isDamaged(embedder))) throw error;
        log.warn({ index: location.text }, 'the index cannot be read and is being rebuilt');
        return open(embedder, log, true);
      }
    },
    renew: ({ embedder, log }) => open(embedder, log, true),
  };
}

async function counted(options: TablesOptions): Promise<boolean> {
  try {
    const tables = await openTables(options);
    await tables.passages.counts().finally(tables.close);
    return true;
  } catch {
    return false;
  }
}

/** Removes the index. The server that writes it rebuilds it. */
export async function removeIndex(location: StoreLocation, embedder: Embedder): Promise<void> {
  await removeManifest(await location.store(), indexFolder(embedder));
}

function begunManifest(before: Manifest | undefined, isRenewed: boolean): Manifest {
  const write = Bun.randomUUIDv7();
  if (before && !isRenewed) return { ...before, write, newest: before.newest + OTHERS_REVISIONS };
  const tables = Bun.randomUUIDv7().replaceAll('-', '');
  return { format: 1, write, tables, newest: 0, documents: [], stale: [] };
}

function indexOf(embedder: Embedder, tables: Tables, catalog: ReturnType<typeof writerCatalog>): Index {
  return {
    embedder,
    catalog,
    passages: tables.passages,
    known: knownPassages(catalog, tables.passages),
    isThere: catalog.isMine,
    close() {
      tables.close();
      catalog.close();
    },
  };
}
