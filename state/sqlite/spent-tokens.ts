/** Spent refresh tokens on SQLite. */
import type { Database } from 'bun:sqlite';
import type { SpentTokens } from '../callers/spent-tokens.ts';
import type { GroupCommit } from './file/group-commit.ts';

export function spentTokens(db: Database, { write }: GroupCommit): SpentTokens {
  const find = db.query<{ since: number }, [string]>('SELECT since FROM spent_tokens WHERE id = ?');
  const insert = db.query<unknown, [string, number, number]>(
    'INSERT OR IGNORE INTO spent_tokens (id, since, keep_until) VALUES (?, ?, ?)',
  );
  const expire = db.query<unknown, [number]>('DELETE FROM spent_tokens WHERE keep_until < ?');
  return {
    spend({ id, family, now, graceMs, keepUntil }) {
      const [token, revoked] = [`token ${id}`, `family ${family}`];
      return write(revoked, () => {
        expire.run(now);
        if (find.get(revoked)) return 'revoked';
        const spent = find.get(token);
        if (spent && now - spent.since <= graceMs) return 'repeated';
        insert.run(spent ? revoked : token, now, keepUntil);
        return spent ? 'reused' : 'fresh';
      });
    },
  };
}
