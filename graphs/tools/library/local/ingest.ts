/** Makes the index agree with the folder about some documents: reads, cuts and embeds what changed, forgets what is gone. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentReader } from '../documents/reader.ts';
import type { DocumentFolder } from './document-folder.ts';
import { type Draft, draftOf } from './draft.ts';
import type { Index } from './open-index.ts';
import { bodyOf, type Row } from './rows.ts';

export interface Ingestion {
  index: Index;
  folder: DocumentFolder;
  reader: DocumentReader;
  /** Revisions that searches leave out meanwhile. */
  hidden: Set<number>;
  /** Passages that were embedded and written. */
  onPassages(count: number): void;
  signal: AbortSignal;
}

const EMBEDDED_AT_ONCE = 64;
const WRITTEN_AT_ONCE = 256;
const PARENTS_AT_ONCE = 64;

/** Gives the documents that failed through no fault of their own, with the error. The others are committed together. */
export async function ingest(names: readonly string[], work: Ingestion): Promise<Map<string, unknown>> {
  const { index, hidden } = work;
  const failures = new Map<string, unknown>();
  const gone: string[] = [];
  const drafts: Draft[] = [];
  await Promise.all(
    names.map(async (name) => {
      try {
        const draft = await draftOf(name, { ...work, catalog: index.catalog }, work.signal);
        if (draft) drafts.push(draft);
        else gone.push(name);
      } catch (error) {
        failures.set(name, error);
      }
    }),
  );
  const cut = drafts.filter((draft) => draft.cut);
  for (const { entry } of cut) hidden.add(entry.revision);
  const written = new Set<Draft>(drafts);
  try {
    for (const draft of await write(cut, failures, work)) written.delete(draft);
    const known = gone.filter((name) => index.catalog.find(name));
    index.catalog.commit(
      Array.from(written, ({ entry }) => entry),
      known,
    );
  } finally {
    for (const { entry } of cut) hidden.delete(entry.revision);
  }
  return failures;
}

/** Gives the drafts that could not be embedded. Throws where the index cannot be written. */
async function write(drafts: Draft[], failures: Map<string, unknown>, work: Ingestion): Promise<Draft[]> {
  const { passages, catalog } = work.index;
  const failed: Draft[] = [];
  let rows: Row[] = [];
  async function flush(): Promise<void> {
    await passages.add(rows);
    work.onPassages(rows.length);
    rows = [];
  }

  try {
    for (const draft of drafts) {
      await keepParents(draft, work);
      try {
        for await (const row of embedded(draft, work)) {
          rows.push(row);
          if (rows.length >= WRITTEN_AT_ONCE) await flush();
        }
      } catch (error) {
        if (!(error instanceof NotEmbedded)) throw error;
        failures.set(draft.entry.name, error.cause);
        failed.push(draft);
        rows = rows.filter(({ revision }) => revision !== draft.entry.revision);
        catalog.discard(draft.entry.revision);
      }
    }
    await flush();
    return failed;
  } catch (error) {
    for (const { entry } of drafts) catalog.discard(entry.revision);
    throw error;
  }
}

async function keepParents({ entry, cut }: Draft, { index }: Ingestion): Promise<void> {
  const parents = cut?.parents ?? [];
  for (let at = 0; at < parents.length; at += PARENTS_AT_ONCE) {
    index.catalog.keepParents(entry.revision, parents.slice(at, at + PARENTS_AT_ONCE));
    await nextTurn();
  }
}

/** The embedder's failure, so that it is told from one of the index. */
class NotEmbedded extends Error {
  override readonly name = 'NotEmbedded';
}

async function* embedded(
  { entry, cut }: Draft,
  { index: { embedder }, signal }: Ingestion,
): AsyncGenerator<Row> {
  const chunks = cut?.chunks ?? [];
  for (let at = 0; at < chunks.length; at += EMBEDDED_AT_ONCE) {
    const some = chunks.slice(at, at + EMBEDDED_AT_ONCE);
    const vectors = await embedder.embed(some.map(bodyOf), 'passage', signal).catch((cause) => {
      throw new NotEmbedded('passages could not be embedded', { cause });
    });
    for (const [index, chunk] of some.entries()) {
      const vector = vectors[index];
      if (!vector) throw new NotEmbedded('passages could not be embedded');
      yield { revision: entry.revision, chunk, vector };
    }
  }
}
