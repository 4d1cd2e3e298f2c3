/** The baselines for a search: SQLite's FTS5 over the same passages, with their headings. */
import { Database } from 'bun:sqlite';
import type { Catalog } from '../../tools/knowledge/local/index/catalog.ts';
import type { Passages } from '../../tools/knowledge/local/index/passages.ts';

/** The documents of the best passages, best first. */
type Baseline = (query: string, limit: number) => string[];

export interface Baselines {
  /** BM25 over unchanged words. */
  bm25: Baseline;
  /** BM25 over words stemmed by Porter's rules. */
  porter: Baseline;
  close(): void;
}

export async function openBaselines(catalog: Catalog, passages: Passages): Promise<Baselines> {
  const db = new Database(':memory:');
  db.run('CREATE VIRTUAL TABLE bm25 USING fts5(body, document UNINDEXED, tokenize = "unicode61")');
  db.run('CREATE VIRTUAL TABLE porter USING fts5(body, document UNINDEXED, tokenize = "porter unicode61")');
  const inserts = ['bm25', 'porter'].map((table) => db.query(`INSERT INTO ${table} VALUES (?, ?)`));
  const moment = catalog.moment();
  db.run('BEGIN');
  for await (const batch of passages.bodies())
    for (const { revision, body } of batch) {
      const document = catalog.documentAt(revision, moment);
      if (document !== undefined) for (const insert of inserts) insert.run(body, document);
    }
  db.run('COMMIT');

  function baseline(table: 'bm25' | 'porter'): Baseline {
    const best = db.query<{ document: string }, [string, number]>(
      `SELECT document FROM ${table} WHERE ${table} MATCH ? ORDER BY bm25(${table}) LIMIT ?`,
    );
    return (query, limit) => {
      const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
      return best.all(words.map((word) => `"${word}"`).join(' OR '), limit).map(({ document }) => document);
    };
  }

  return { bm25: baseline('bm25'), porter: baseline('porter'), close: () => db.close() };
}
