/** Writes any number of changes of items in one transaction with few statements. */
import { bytesOf, pathOf } from '../../driver/item-rows.ts';
import type { ItemChange } from '../../items/items.ts';
import { type Database, document } from '../database/database.ts';

export interface TimedChange extends ItemChange {
  /** Milliseconds since 1970. */
  at: number;
}

/** The combined result of all changes of one item. */
interface Outcome extends TimedChange {
  /** Delete the stored item first, so that the put creates a new one. */
  replaces: boolean;
  createdAt: number;
}

// Transactions that change the same items in different orders would deadlock. The lock ends with the transaction.
const LOCK = 'SELECT pg_advisory_xact_lock(7211, hashtext($1))';

// An expired item does not exist for callers: the put must create a new item instead of changing it.
const REMOVE = `DELETE FROM skein.items AS i
  USING json_to_recordset($2::text::json) AS c (namespace text, key text, gone boolean, at bigint)
  WHERE i.owner = $1 AND i.place = skein.item_place(c.namespace, c.key) AND (c.gone OR i.expires_at <= c.at)`;

const PUT = `WITH c AS (
    SELECT *, skein.item_place(namespace, key) AS place FROM json_to_recordset($2::text::json) AS c (
      number integer, namespace text, key text, value text, created_at bigint, updated_at bigint, ttl bigint,
      embedder text, dims integer, data text)),
  put AS (
    INSERT INTO skein.items (owner, namespace, key, value, created_at, updated_at, ttl, expires_at)
    SELECT $1, namespace, key, value, created_at, updated_at, ttl, updated_at + ttl FROM c ORDER BY number
    ON CONFLICT (owner, place) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at,
      ttl = excluded.ttl, expires_at = excluded.expires_at
    RETURNING seq, place),
  vectors AS (
    INSERT INTO skein.item_vectors (item, embedder, dims, data)
    SELECT put.seq, c.embedder, c.dims, decode(c.data, 'base64')
    FROM put JOIN c USING (place) WHERE c.embedder IS NOT NULL
    ON CONFLICT (item) DO UPDATE SET embedder = excluded.embedder, dims = excluded.dims, data = excluded.data)
  DELETE FROM skein.item_vectors AS v USING put JOIN c USING (place)
  WHERE v.item = put.seq AND c.embedder IS NULL`;

export async function changeItems(database: Database, owner: string, changes: TimedChange[]): Promise<void> {
  const outcomes = outcomesOf(changes);
  const puts = outcomes.flatMap((outcome, number) => putOf(outcome, number));
  await database.transaction(async (tx) => {
    if (outcomes.length > 1) await tx.run(LOCK, owner);
    await tx.run(REMOVE, owner, document(outcomes.map(removalOf)));
    if (puts.length > 0) await tx.run(PUT, owner, document(puts));
  });
}

/** The last change of an item counts. A put after a deletion creates a new item. */
function outcomesOf(changes: TimedChange[]): Outcome[] {
  const outcomes = new Map<string, Outcome>();
  for (const change of changes) {
    const key = JSON.stringify([change.namespace, change.key]);
    const before = outcomes.get(key);
    const isGone = before?.text === null;
    if (isGone) outcomes.delete(key);
    outcomes.set(key, {
      ...change,
      replaces: change.text === null || isGone || before?.replaces === true,
      createdAt: before && !isGone ? before.createdAt : change.at,
    });
  }
  return [...outcomes.values()];
}

function removalOf({ namespace, key, replaces, createdAt }: Outcome) {
  return { namespace: pathOf(namespace), key, gone: replaces, at: createdAt };
}

function putOf({ namespace, key, text, ttl, vectors, createdAt, at }: Outcome, number: number) {
  if (text === null) return [];
  const { embedder, dims, data } = vectors ?? {};
  return [
    {
      ...{ number, namespace: pathOf(namespace), key, value: text, ttl },
      ...{ created_at: createdAt, updated_at: at, embedder, dims },
      data: data && Buffer.from(bytesOf(data)).toString('base64'),
    },
  ];
}
