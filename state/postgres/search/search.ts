/** Full-text search in runs on PostgreSQL. The driver builds the tsvector itself, so no dictionary changes the words. */

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
import { type Database, document, type Statements } from '../database/database.ts';
import { type Parameters, parameters } from '../database/parameters.ts';
import { runConditions } from '../threads/run-conditions.ts';

// Limits of PostgreSQL's tsvector: the greatest position, and the number of positions per word.
const LAST_POSITION = 16_383;
const MAX_POSITIONS = 255;

export function runSearch(database: Database): RunSearch {
  return {
    add: (most) => database.transaction((statements) => add(statements, most)),
    async find(query, { limit, after }: PageRequest<[number]>): Promise<Page<SearchHit>> {
      const floor = hasFilters(query) ? await floorOf(database, query, after?.[0]) : undefined;
      const { sql, values } = finding(query, limit + 1, after?.[0], floor);
      const rows = await database.all<HitRow>(sql, ...values);
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
async function floorOf(database: Database, query: SearchQuery, after: number | undefined) {
  const given = parameters();
  const bounds = boundsOf(query, after, given);
  const rows = await database.all<Pick<HitRow, 'id'>>(
    `SELECT e.id FROM skein.search_entries AS e WHERE ${bounds.join(' AND ')}
     ORDER BY e.id DESC LIMIT 2 OFFSET ${MAX_SCANNED_RUNS - 1}`,
    ...given.values,
  );
  return rows.length === 2 ? rows[0]?.id : undefined;
}

// An array, because the planner expects few elements and looks them up in the index. For a subquery, it reads the whole table.
const EACH = 'ANY (ARRAY(SELECT jsonb_array_elements_text($1::text::jsonb)))';

/** Skips runs that another server is adding. */
async function add(statements: Statements, most: number): Promise<number> {
  const rows = await statements.all<EndedRunRow>(
    `SELECT r.run_id, r.owner, r.request, r.result, r.error, m.content AS answer
     FROM skein.runs AS r LEFT JOIN skein.messages AS m ON m.message_id = r.message_id
     WHERE r.searchable = 0 AND r.finished_at IS NOT NULL ORDER BY r.finished_at LIMIT $1 FOR UPDATE OF r SKIP LOCKED`,
    most,
  );
  if (rows.length === 0) return 0;
  const ids = JSON.stringify(rows.map(({ run_id }) => run_id));
  const logs = await statements.all<{ run_id: string; body: string }>(
    `SELECT run_id, body FROM skein.events
     WHERE run_id = ${EACH} AND strpos(body, '"kind":"tool"') > 0
     ORDER BY run_id, first`,
    ids,
  );
  const entries = rows.flatMap((row) => {
    const pieces = logs.filter(({ run_id }) => run_id === row.run_id).map(({ body }) => body);
    return textsOf(row, pieces).map((text) => ({
      ...{ run_id: row.run_id, ...text },
      words: vectorOf(indexedTokens(row.owner, text.text)),
    }));
  });
  await statements.run(
    `INSERT INTO skein.search_entries (run_id, kind, name, text, words)
     SELECT e ->> 'run_id', e ->> 'kind', e ->> 'name', e ->> 'text', (e ->> 'words')::tsvector
     FROM jsonb_array_elements($1::text::jsonb) WITH ORDINALITY AS one(e, place) ORDER BY place`,
    document(entries),
  );
  await statements.run(`UPDATE skein.runs SET searchable = 1 WHERE run_id = ${EACH}`, ids);
  return rows.length;
}

function finding(query: SearchQuery, most: number, after: number | undefined, floor: number | undefined) {
  const { owner, kind, workflow, status } = query;
  const given = parameters();
  const conditions = [...boundsOf(query, after, given), ...runConditions(query, given)];
  const columns = [
    ['e.id >=', floor],
    ['r.owner =', owner ?? undefined],
    ['e.kind =', kind],
    ['r.workflow =', workflow],
    ['r.status =', status],
  ] as const;
  for (const [sql, value] of columns) if (value !== undefined) conditions.push(`${sql} ${given.add(value)}`);
  const sql = `SELECT e.id, e.kind, e.name, e.text, r.run_id, r.owner, r.workflow, r.status, r.created_at, t.thread_id
    FROM skein.search_entries AS e JOIN skein.runs AS r ON r.run_id = e.run_id
      JOIN skein.threads AS t ON t.key = r.thread
    WHERE t.owner <> '' AND ${conditions.join(' AND ')} ORDER BY e.id DESC LIMIT ${given.add(most)}`;
  return { sql, values: given.values };
}

function boundsOf({ owner, words }: SearchQuery, after: number | undefined, { add }: Parameters): string[] {
  const matched = `e.words @@ ${add(matching(owner, words))}::text::tsquery`;
  return after === undefined ? [matched] : [matched, `e.id < ${add(after)}`];
}

/** The text of a tsvector. Tokens only contain letters and digits, so they need no escaping. */
function vectorOf(tokens: readonly string[]): string {
  const positions = new Map<string, number[]>();
  for (const [index, token] of tokens.entries()) {
    const own = positions.get(token) ?? [];
    if (own.length < MAX_POSITIONS) own.push(Math.min(index + 1, LAST_POSITION));
    positions.set(token, own);
  }
  return Array.from(positions, ([token, own]) => `'${token}':${own.join(',')}`).join(' ');
}

function matching(owner: string | null, words: readonly SearchWord[]): string {
  const own = owner === null ? [] : [`'${ownerToken(owner)}'`];
  const phrases = words.map(({ tokens, isPrefix }) => {
    const quoted = tokens.map((token) => `'${token}'`).join(' <-> ');
    return `(${quoted}${isPrefix ? ':*' : ''})`;
  });
  return [...own, ...phrases].join(' & ');
}
