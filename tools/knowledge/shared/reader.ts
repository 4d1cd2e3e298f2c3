/** Searches an index in an object store that another server writes. Checks for changes every second. */
import type { Embedder } from '../embedding/embedder.ts';
import type { SearchOptions, SearchResult } from '../library.ts';
import { type Catalog, openCatalog } from '../local/index/catalog.ts';
import { type KnownPassages, knownPassages } from '../local/index/known-passages.ts';
import type { LibraryLog } from '../local/index/log.ts';
import { asQuestion, search } from '../local/search/search.ts';
import type { StoreLocation } from '../storage/open-store.ts';
import { type Manifest, type ReadManifest, readManifest } from './manifest.ts';
import { indexFolder } from './shared-index.ts';
import { openTables, type Tables } from './tables.ts';

export interface SharedReader {
  /**
   * Undefined while no index of this embedder exists. `now`: check for changes even if the last check was less than a second
   * ago.
   */
  catalog(now?: boolean): Promise<Catalog | undefined>;
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** Whether an index was ever found. */
  isOpen(): boolean;
  close(): Promise<void>;
}

export interface SharedReaderParts {
  location: StoreLocation;
  openEmbedder: () => Promise<Embedder>;
  log: LibraryLog;
}

interface Opened {
  tag: string;
  /** The name of the tables. */
  name: string;
  newest: number;
  stale: readonly number[];
  catalog: Catalog;
  /** Undefined while no document has a passage, because tables that are being created cannot be opened yet. */
  tables: Tables | undefined;
  /** Created by the first search. */
  known?: KnownPassages;
}

const FRESH_MS = 1_000;
const NOTHING: SearchResult = { found: false, passages: [] };

export function openSharedReader({ location, openEmbedder, log }: SharedReaderParts): SharedReader {
  let opened: Opened | undefined;
  let refreshing: Promise<void> | undefined;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let failure: string | undefined;
  const searches = new Set<Promise<unknown>>();

  async function refresh(embedder: Embedder): Promise<void> {
    const at = Date.now();
    const folder = indexFolder(embedder);
    const found = await readManifest(await location.store(), folder, opened?.tag);
    if (found === undefined) await replace(undefined);
    else if (found !== 'unchanged' && opened?.name === found.manifest.tables)
      await follow(opened, found, folder);
    else if (found !== 'unchanged') await replace(await openedFrom(found, folder));
    refreshedAt = at;
    failure = undefined;
  }

  async function openedFrom({ manifest, tag }: ReadManifest, folder: string): Promise<Opened> {
    const { tables: name, newest, stale, documents } = manifest;
    const tables = await tablesOf(manifest, folder);
    const catalog = openCatalog(':memory:', { readonly: false });
    await catalog.commit(documents, []);
    return { tag, name, newest, stale, tables, catalog };
  }

  async function tablesOf(
    { tables: name, documents }: Manifest,
    folder: string,
  ): Promise<Tables | undefined> {
    if (!documents.some(({ chunks }) => chunks > 0)) return undefined;
    return openTables({ location, folder, name, readonly: true });
  }

  /** Updates the tables before the catalog, because they must never contain less than the manifest lists. */
  async function follow(index: Opened, { manifest, tag }: ReadManifest, folder: string): Promise<void> {
    const { newest, stale, documents } = manifest;
    if (index.tables) await index.tables.refresh();
    else index.tables = await tablesOf(manifest, folder);
    const names = new Set(documents.map(({ name }) => name));
    const removed = Array.from(index.catalog.entries(), ({ name }) => name).filter(
      (name) => !names.has(name),
    );
    const changed = documents.filter((entry) => {
      const before = index.catalog.find(entry.name);
      return before?.revision !== entry.revision || before.stamp !== entry.stamp;
    });
    await index.catalog.commit(changed, removed);
    await index.catalog.purge(index.catalog.stale().filter((revision) => !stale.includes(revision)));
    Object.assign(index, { tag, newest, stale });
  }

  async function replace(next: Opened | undefined): Promise<void> {
    const before = opened;
    opened = next;
    if (!before) return;
    await Promise.allSettled(searches);
    before.tables?.close();
    before.catalog.close();
  }

  async function current(embedder: Embedder, now = false): Promise<Opened | undefined> {
    if (!now && Date.now() - refreshedAt < FRESH_MS) return opened;
    refreshing ??= refresh(embedder).finally(() => {
      refreshing = undefined;
    });
    await refreshing.catch((err) => {
      // Keep using the last opened index as long as possible.
      if (!opened) throw err;
      refreshedAt = Date.now();
      if (String(err.detail ?? err) !== failure) log.warn({ err }, 'the index cannot be checked for changes');
      failure = String(err.detail ?? err);
    });
    return opened;
  }

  async function find(request: { embedder: Embedder; query: string; options: SearchOptions }, now = false) {
    const { embedder, query, options } = request;
    const index = await current(embedder, now);
    if (!index?.tables) return NOTHING;
    const { tables, stale, newest } = index;
    const { passages, parents } = tables;
    const catalog = { ...index.catalog, contexts: parents.contexts };
    const question = await asQuestion(embedder, query, options);
    index.known ??= knownPassages(index.catalog, passages);
    const searching = search({ catalog, passages, known: index.known, hidden: stale, newest }, question);
    searches.add(searching);
    return searching.finally(() => searches.delete(searching));
  }

  return {
    catalog: async (now) => (await current(await openEmbedder(), now))?.catalog,
    async search(query, options = {}) {
      const request = { embedder: await openEmbedder(), query, options };
      const before = opened?.tag;
      return find(request).catch(async (error) => {
        options.signal?.throwIfAborted();
        // The tables may have been replaced in the meantime.
        await current(request.embedder, true);
        if (opened?.tag === before) throw error;
        return find(request);
      });
    },
    isOpen: () => opened !== undefined,
    async close() {
      await refreshing?.catch(() => {});
      await replace(undefined);
    },
  };
}
