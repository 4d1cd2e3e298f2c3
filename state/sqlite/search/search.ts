/** Full-text search in runs on SQLite, with FTS5. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { pageOf } from '../../driver/page.ts';
import { hasFilters, MAX_SCANNED_RUNS } from '../../driver/run-bounds.ts';
import {
  type EndedRunRow,
  type HitRow,
  indexedTokens,
  ownerToken,
  textsOf,
  toHit,
} from '../../driver/run-texts.ts';
import type { RunSearch, SearchHit, SearchQuery } from '../../search/search.ts';
import type { SearchWord } from '../../search/words.ts';
import type { Page, PageRequest } from '../../threads/archive.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { type Condition, runConditions, textOf, valuesOf } from '../threads/run-conditions.ts';

export function runSearch(db: Database, commit: GroupCommit): RunSearch {
  const ended = db.query<EndedRunRow, [number]>(
    `SELECT r.run_id, r.owner, r.request, r.result, r.error, m.content AS answer
     FROM runs AS r INDEXED BY runs_unsearchable LEFT JOIN messages AS m ON m.message_id = r.message_id
     WHERE r.searchable = 0 AND r.finished_at IS NOT NULL ORDER BY r.finished_at LIMIT +?`,
  );
  const logs = db.query<{ body: string }, [string]>(
    `SELECT body FROM events WHERE run_id = ? AND instr(body, '"kind":"tool"') ORDER BY first`,
  );
  const entry = db.query('INSERT INTO search_entries (run_id, kind, name, text) VALUES (?, ?, ?, ?)');
  const words = db.query('INSERT INTO search_words (rowid, words) VALUES (?, ?)');
  const done = db.query('UPDATE runs SET searchable = 1 WHERE run_id = ?');

  function add(most: number): number {
    const rows = ended.all(most);
    for (const row of rows) {
      const pieces = logs.all(row.run_id).map(({ body }) => body);
      for (const { kind, name, text } of textsOf(row, pieces)) {
        const { lastInsertRowid: id } = entry.run(row.run_id, kind, name, text);
        words.run(id, indexedTokens(row.owner, text).join(' '));
      }
      done.run(row.run_id);
    }
    return rows.length;
  }

  return {
    add: (most) => commit.commit('search', () => add(most)),
    async find(query, { limit, after }: PageRequest<[number]>): Promise<Page<SearchHit>> {
      commit.flush();
      const floor = hasFilters(query) ? floorOf(db, query, after?.[0]) : undefined;
      const { sql, values } = finding(query, after?.[0], floor);
      const rows = db.query<HitRow, SQLQueryBindings[]>(sql).iterate(...values, limit + 1);
      const page = pageOf(
        rows,
        limit,
        ({ id }) => [id],
        toHit,
        ({ text }) => text.length,
      );
      return page.next || floor === undefined ? page : { ...page, next: [floor] };
    },
  };
}

/** The last entry that a page scans; undefined if the page reaches the end. */
function floorOf(db: Database, query: SearchQuery, after: number | undefined): number | undefined {
  const bounds = boundsOf(query, after);
  const rows = db
    .query<{ id: number }, SQLQueryBindings[]>(
      `SELECT s.rowid AS id FROM search_words AS s WHERE ${textOf(bounds)}
       ORDER BY s.rowid DESC LIMIT 2 OFFSET ${MAX_SCANNED_RUNS - 1}`,
    )
    .all(...valuesOf(bounds));
  return rows.length === 2 ? rows[0]?.id : undefined;
}

function finding(query: SearchQuery, after: number | undefined, floor: number | undefined) {
  const { owner, kind, workflow, status } = query;
  const conditions = [...boundsOf(query, after), ...runConditions(query)];
  const columns = [
    ['s.rowid >=', floor],
    ['r.owner =', owner ?? undefined],
    ['e.kind =', kind],
    ['r.workflow =', workflow],
    ['r.status =', status],
  ] as const;
  for (const [sql, value] of columns)
    if (value !== undefined) conditions.push({ sql: `${sql} ?`, values: [value] });
  const sql = `SELECT e.id, e.kind, e.name, e.text, r.run_id, r.owner, r.workflow, r.status, r.created_at, t.thread_id
    FROM search_words AS s CROSS JOIN search_entries AS e ON e.id = s.rowid
      CROSS JOIN runs AS r ON r.run_id = e.run_id CROSS JOIN threads AS t ON t.key = r.thread
    WHERE t.owner <> '' AND ${textOf(conditions)} ORDER BY s.rowid DESC LIMIT +?`;
  return { sql, values: valuesOf(conditions) };
}

function boundsOf({ owner, words }: SearchQuery, after: number | undefined): Condition[] {
  const matched = { sql: 's.search_words MATCH ?', values: [matching(owner, words)] };
  return after === undefined ? [matched] : [matched, { sql: 's.rowid < ?', values: [after] }];
}

/** The MATCH expression. Tokens only contain letters and digits, so they need no escaping. */
function matching(owner: string | null, words: readonly SearchWord[]): string {
  const own = owner === null ? [] : [`"${ownerToken(owner)}"`];
  const phrases = words.map(({ tokens, isPrefix }) => `"${tokens.join(' ')}"${isPrefix ? ' *' : ''}`);
  return [...own, ...phrases].join(' AND ');
}
