/** Spent refresh tokens on PostgreSQL. Expired rows are ignored and deleted later. */
import type { SpentTokens } from '../callers/spent-tokens.ts';
import type { Database } from './database/database.ts';

// If several servers spend a token at the same time, only one of them inserts its row.
const SPEND = `WITH revoked AS (SELECT FROM skein.spent_tokens WHERE id = $2 AND keep_until >= $3),
  spent AS (
    INSERT INTO skein.spent_tokens AS t (id, since, keep_until)
    SELECT $1, $3, $4 WHERE NOT EXISTS (SELECT FROM revoked)
    ON CONFLICT (id) DO UPDATE SET since = excluded.since, keep_until = excluded.keep_until WHERE t.keep_until < $3
    RETURNING 1),
  forgotten AS (
    DELETE FROM skein.spent_tokens WHERE id IN (
      SELECT id FROM skein.spent_tokens WHERE keep_until < $3 AND id <> $1 LIMIT 100 FOR UPDATE SKIP LOCKED))
  SELECT EXISTS (SELECT FROM revoked) AS revoked, EXISTS (SELECT FROM spent) AS fresh`;

const REVOKE = `WITH late AS (SELECT FROM skein.spent_tokens WHERE id = $1 AND since < $3 - $5::bigint),
  revoked AS (
    INSERT INTO skein.spent_tokens AS t (id, since, keep_until) SELECT $2, $3, $4 FROM late
    ON CONFLICT (id) DO UPDATE SET since = excluded.since, keep_until = excluded.keep_until WHERE t.keep_until < $3
    RETURNING 1)
  SELECT EXISTS (SELECT FROM late) AS late, EXISTS (SELECT FROM revoked) AS revoked`;

export function spentTokens(database: Database): SpentTokens {
  return {
    async spend({ id, family, now, graceMs, keepUntil }) {
      const use = [`token ${id}`, `family ${family}`, now, keepUntil] as const;
      const spent = await database.get<{ revoked: boolean; fresh: boolean }>(SPEND, ...use);
      if (spent?.revoked) return 'revoked';
      if (spent?.fresh) return 'fresh';
      // A separate statement, whose snapshot contains the row that another server has inserted.
      const again = await database.get<{ late: boolean; revoked: boolean }>(REVOKE, ...use, graceMs);
      if (!again?.late) return 'repeated';
      return again.revoked ? 'reused' : 'revoked';
    },
  };
}
