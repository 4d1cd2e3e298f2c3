/** Items on SQLite. A search finds numbers in an index and then reads the rows in slices. */
import type { Database } from 'bun:sqlite';
import { bytesOf, type ItemRow, itemOf, pathOf } from '../driver/item-rows.ts';
import { slices } from '../driver/slices.ts';
import type { ItemChange, ItemKey, ItemReading, Items } from '../items/items.ts';
import type { GroupCommit } from './file/group-commit.ts';
import { searchItems } from './item-search.ts';
import { itemStatements } from './item-statements.ts';

export function items(db: Database, commit: GroupCommit): Items {
  const sql = itemStatements(db);
  const beginSlices = slices();
  let unwritten = 0;

  function counted(written: Promise<void>): Promise<void> {
    unwritten++;
    return written.finally(() => unwritten--);
  }

  /** Reads must see all earlier writes. */
  function writeFirst(): void {
    if (unwritten > 0) commit.flush();
  }

  /** Restarts the time to live. The write is deferred, because losing it in a crash is acceptable. */
  function refresh(owner: string, rows: ItemRow[], { now, refresh }: ItemReading): void {
    const living = rows.flatMap(({ seq, ttl }) => (ttl === null ? [] : [seq]));
    if (!refresh || living.length === 0) return;
    const written = commit.defer(unitOf(owner), () => void sql.refresh.run(now, JSON.stringify(living)));
    // Ignore failures: the next read tries again.
    counted(written).catch(() => {});
  }

  function apply(owner: string, { namespace, key, text, ttl, vectors }: ItemChange, now: number): void {
    const address = [owner, pathOf(namespace), key] as const;
    if (text === null) {
      sql.remove.run(...address);
      return;
    }
    // An expired item does not exist for callers: the put must create a new item instead of changing it.
    sql.removeExpired.run(...address, now);
    const row = sql.put.get(...address, text, now, ttl);
    if (!row) throw new Error('The item was not stored');
    sql.removeVectors.run(row.seq);
    if (vectors) sql.putVectors.run(row.seq, vectors.embedder, vectors.dims, bytesOf(vectors.data));
  }

  return {
    async get(owner, { namespace, key }: ItemKey, reading) {
      writeFirst();
      const row = sql.get.get(owner, pathOf(namespace), key, reading.now);
      if (!row) return undefined;
      refresh(owner, [row], reading);
      return itemOf(row);
    },
    async search(owner, query, reading) {
      writeFirst();
      const { now } = reading;
      const slice = beginSlices();
      const numbers = sql.numbers(owner, pathOf(query.prefix), now);
      const { rows, items } = await searchItems(sql, { ...query, numbers, now, slice });
      refresh(owner, rows, reading);
      return items;
    },
    async namespaces(owner, now) {
      writeFirst();
      return sql.namespaces.all(owner, now).map(({ namespace }) => namespace.split(':'));
    },
    change: (owner, changes, now) =>
      counted(
        commit.write(unitOf(owner), () => {
          for (const change of changes) apply(owner, change, now);
        }),
      ),
  };
}

function unitOf(owner: string): string {
  return `items of ${owner}`;
}
