/** The catalog of an index in an object store, for the one server that writes it. */
import { type Catalog, type Entry, openCatalog } from '../local/index/catalog.ts';
import { storageFailure } from '../storage/failure.ts';
import type { StoreLocation } from '../storage/open-store.ts';
import { type Manifest, readManifest, writeManifest } from './manifest.ts';
import type { Parents } from './parents.ts';

export interface WriterCatalog extends Catalog {
  /** Whether the manifest is still the one that this server wrote. */
  isMine(): Promise<boolean>;
}

export interface WriterCatalogParts {
  location: StoreLocation;
  folder: string;
  /** The manifest when the index was opened. */
  manifest: Manifest;
  tag: string;
  parents: Parents;
}

// The time in which other servers may still use the previous manifest and finish their searches.
const SEARCHED_MS = 20_000;
const CONFIRM_EVERY_MS = 3_000;

/** Entries are kept in memory. Every commit replaces the manifest, if it is still the one that this server wrote. */
export function writerCatalog({
  location,
  folder,
  manifest,
  tag,
  parents,
}: WriterCatalogParts): WriterCatalog {
  const inner = openCatalog(':memory:', { readonly: false });
  inner.commit(manifest.documents, []);
  for (const revision of manifest.stale) inner.discard(revision);
  const staleSince = new Map(manifest.stale.map((revision) => [revision, Date.now()]));
  let { newest } = manifest;
  let mine = tag;
  let lost = false;
  let confirmedAt = Date.now();

  async function write(documents: Entry[], stale: number[]): Promise<void> {
    const next = { ...manifest, write: Bun.randomUUIDv7(), newest, documents, stale };
    const store = await location.store();
    const written = await writeManifest(store, folder, { manifest: next, replaces: mine });
    if (written === undefined) {
      lost = true;
      throw storageFailure(location.setting, new Error('another server writes the index'));
    }
    mine = written;
    confirmedAt = Date.now();
  }

  function noteStale(): void {
    const now = Date.now();
    for (const revision of inner.stale()) if (!staleSince.has(revision)) staleSince.set(revision, now);
  }

  return {
    ...inner,
    nextRevision: () => ++newest,
    removable() {
      noteStale();
      return inner.stale().filter((revision) => Date.now() - (staleSince.get(revision) ?? 0) > SEARCHED_MS);
    },
    keepParents: parents.add,
    contexts: parents.contexts,
    async commit(entries, removed) {
      if (entries.length === 0 && removed.length === 0) return;
      const after = new Map(Array.from(inner.entries(), (entry) => [entry.name, entry]));
      const stale = new Set(inner.stale());
      for (const name of [...removed, ...entries.map((entry) => entry.name)]) {
        const before = after.get(name);
        if (before) stale.add(before.revision);
        after.delete(name);
      }
      for (const entry of entries) {
        after.set(entry.name, entry);
        stale.delete(entry.revision);
      }
      await write([...after.values()], [...stale]);
      await inner.commit(entries, removed);
      noteStale();
    },
    async purge(revisions) {
      await parents.remove(revisions);
      await inner.purge(revisions);
      for (const revision of revisions) staleSince.delete(revision);
    },
    async isMine() {
      if (lost || Date.now() - confirmedAt < CONFIRM_EVERY_MS) return !lost;
      confirmedAt = Date.now();
      const store = await location.store();
      // An unavailable store doesn't mean that another server writes the index.
      const there = await readManifest(store, folder, mine).catch(() => 'unchanged' as const);
      lost = there !== 'unchanged';
      return !lost;
    },
  };
}
