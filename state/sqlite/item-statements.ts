/** Prepared statements for items. */
import type { Database } from 'bun:sqlite';
import type { ItemRow } from '../driver/item-rows.ts';

const LIVES = '(expires_at IS NULL OR expires_at > ?)';
const PLACE = 'owner = ? AND namespace = ? AND key = ?';

export type ItemStatements = ReturnType<typeof itemStatements>;

export function itemStatements(db: Database) {
  const allNumbers = db.query<{ seq: number }, [string, number]>(
    `SELECT seq FROM items INDEXED BY items_by_namespace WHERE owner = ? AND ${LIVES} ORDER BY seq`,
  );
  // Namespaces below `a` start with `a:`. The next character after the colon is the semicolon, so the range ends at `a;`.
  const numbersWithin = db.query<{ seq: number }, [string, string, string, number]>(
    `SELECT seq FROM items INDEXED BY items_by_namespace
     WHERE owner = ?1 AND (namespace = ?2 OR (namespace > ?3 || ':' AND namespace < ?3 || ';'))
       AND (expires_at IS NULL OR expires_at > ?4)
     ORDER BY seq`,
  );
  return {
    get: db.query<ItemRow, [string, string, string, number]>(
      `SELECT * FROM items WHERE ${PLACE} AND ${LIVES}`,
    ),
    row: db.query<ItemRow, [number, number]>(`SELECT * FROM items WHERE seq = ? AND ${LIVES}`),
    /** The numbers of the owner's items within a namespace, in order of creation. The empty namespace contains all items. */
    numbers(owner: string, namespace: string, now: number): number[] {
      const rows =
        namespace === '' ? allNumbers.all(owner, now) : numbersWithin.all(owner, namespace, namespace, now);
      return rows.map(({ seq }) => seq);
    },
    namespaces: db.query<{ namespace: string }, [string, number]>(
      `SELECT DISTINCT namespace FROM items INDEXED BY items_by_namespace WHERE owner = ? AND ${LIVES}`,
    ),
    put: db.query<{ seq: number }, [string, string, string, string, number, number | null]>(
      `INSERT INTO items (owner, namespace, key, value, created_at, updated_at, ttl, expires_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?5 + ?6)
       ON CONFLICT (owner, namespace, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at,
         ttl = excluded.ttl, expires_at = excluded.expires_at
       RETURNING seq`,
    ),
    vectors: db.query<{ data: Uint8Array }, [number, string, number]>(
      'SELECT data FROM item_vectors WHERE item = ? AND embedder = ? AND dims = ?',
    ),
    putVectors: db.query<unknown, [number, string, number, Uint8Array]>(
      'INSERT INTO item_vectors (item, embedder, dims, data) VALUES (?, ?, ?, ?)',
    ),
    removeVectors: db.query<unknown, [number]>('DELETE FROM item_vectors WHERE item = ?'),
    remove: db.query<unknown, [string, string, string]>(`DELETE FROM items WHERE ${PLACE}`),
    removeExpired: db.query<unknown, [string, string, string, number]>(
      `DELETE FROM items WHERE ${PLACE} AND expires_at <= ?`,
    ),
    // Uses the row's current `ttl`, because the item may have been put again since the read.
    refresh: db.query<unknown, [number, string]>(
      `UPDATE items SET expires_at = max(expires_at, ?1 + ttl)
       WHERE seq IN (SELECT value FROM json_each(?2)) AND ttl IS NOT NULL`,
    ),
  };
}
