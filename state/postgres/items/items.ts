/** Items on PostgreSQL. */
import { type ItemRow, itemOf, pathOf } from '../../driver/item-rows.ts';
import { slices } from '../../driver/slices.ts';
import type { ItemKey, ItemReading, Items } from '../../items/items.ts';
import type { Database } from '../database/database.ts';
import { arrayOf, GIVEN, LIVES, searchItems } from './item-search.ts';
import { writeQueue } from './write-queue.ts';

const GET = `SELECT seq, namespace, key, value, created_at, updated_at, ttl, expires_at FROM skein.items
  WHERE owner = $2 AND place = skein.item_place($3, $4) AND ${LIVES}`;

// Uses the row's current `ttl`, because the item may have been put again since the read. Skips locked rows: their writer sets
// the expiry as well.
const REFRESH = `UPDATE skein.items SET expires_at = greatest(expires_at, $1::bigint + ttl) WHERE seq IN (
  SELECT seq FROM skein.items WHERE seq = ${GIVEN} AND ttl IS NOT NULL FOR NO KEY UPDATE SKIP LOCKED)`;

export function items(database: Database): Items {
  const writes = writeQueue(database);
  const beginSlices = slices();

  /** Restarts the time to live. The caller does not wait, because losing the write in a crash is acceptable. */
  function refresh(owner: string, rows: ItemRow[], { now, refresh }: ItemReading): void {
    const living = rows.flatMap(({ seq, ttl }) => (ttl === null ? [] : [seq]));
    if (!refresh || living.length === 0) return;
    // A failure is ignored: the next read tries again.
    writes.follow(owner, database.run(REFRESH, now, arrayOf(living)));
  }

  return {
    change: writes.change,
    async get(owner, { namespace, key }: ItemKey, reading) {
      await writes.settled(owner);
      const row = await database.get<ItemRow>(GET, reading.now, owner, pathOf(namespace), key);
      if (!row) return undefined;
      refresh(owner, [row], reading);
      return itemOf(row);
    },
    async search(owner, query, reading) {
      await writes.settled(owner);
      const search = { ...query, owner, now: reading.now, slice: beginSlices() };
      const { rows, items } = await searchItems(database, search);
      refresh(owner, rows, reading);
      return items;
    },
    async namespaces(owner, now) {
      await writes.settled(owner);
      const rows = await database.all<{ namespace: string }>(
        `SELECT DISTINCT namespace FROM skein.items WHERE owner = $2 AND ${LIVES}`,
        now,
        owner,
      );
      return rows.map(({ namespace }) => namespace.split(':'));
    },
  };
}
