/** The sections around passages, in a separate table. The sections of a revision never change. */
import type * as Lance from '@lancedb/lancedb';
import type { Parent } from '../documents/chunk.ts';
import type { Contexts, Placed } from '../local/index/catalog.ts';
import { among } from '../local/index/passages.ts';

export interface Parents {
  add(revision: number, parents: readonly Parent[]): Promise<void>;
  contexts(passages: readonly Placed[]): Promise<Contexts>;
  remove(revisions: readonly number[]): Promise<void>;
  /** Makes visible what another server has written so far. */
  refresh(): Promise<void>;
  close(): void;
}

// A section takes a few kilobytes.
const MAX_CACHED = 512;
const OLD_VERSION_MS = 30_000;
const MANY_WRITES = 64;

/** The caller must close `connection`. */
export async function openParents(connection: Lance.Connection, name: string): Promise<Parents> {
  const existing = async () =>
    (await connection.tableNames()).includes(name) ? connection.openTable(name) : undefined;
  let table = await existing();
  let writes = 0;
  const cached = new Map<string, string>();

  function cache(key: string, text: string): void {
    cached.set(key, text);
    const [oldest] = cached.keys();
    if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
  }

  async function load(missing: readonly Placed[]): Promise<void> {
    if (!table || missing.length === 0) return;
    const where = missing.map(conditionOf).join(' OR ');
    for (const { revision, id, text } of await table.query().where(where).toArray())
      cache(keyOf(revision, id), text);
  }

  return {
    async add(revision, parents) {
      if (parents.length === 0) return;
      // Load Arrow together with LanceDB instead of at the start of the service.
      const { parentsTable } = await import('./parents-table.ts');
      const data = parentsTable(revision, parents);
      if (table) await table.add(data);
      else table = await connection.createTable(name, data);
      if (++writes % MANY_WRITES === 0)
        await table.optimize({ cleanupOlderThan: new Date(Date.now() - OLD_VERSION_MS) });
    },
    async contexts(passages) {
      await load(passages.filter(({ revision, parent }) => !cached.has(keyOf(revision, parent))));
      return passages.map(({ revision, parent }) => cached.get(keyOf(revision, parent)));
    },
    async remove(revisions) {
      if (revisions.length > 0) await table?.delete(among(revisions));
    },
    async refresh() {
      if (table) await table.checkoutLatest();
      else table = await existing();
    },
    close: () => table?.close(),
  };
}

const keyOf = (revision: number, id: string) => `${revision} ${id}`;

/** LanceDB's SQL has no parameters, so only the service's own integers and hashes must be inserted. */
function conditionOf({ revision, parent }: Placed): string {
  if (!/^[\da-f]+$/.test(parent)) throw new Error('the id of a section must be a hash');
  return `(${among([revision])} AND id = '${parent}')`;
}
