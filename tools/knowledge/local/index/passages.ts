/** The table of passages in LanceDB, searched by vectors and by words. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Span } from '../../library.ts';
import { loadLance } from './lance.ts';
import { COLUMNS, type Row, textOf } from './rows.ts';
import { openUpkeep } from './upkeep.ts';

export interface Hit extends Span {
  id: string;
  revision: number;
  parent: string;
  text: string;
  /** Cosine similarity or BM25, depending on the search. */
  score: number;
}

interface Search {
  limit: number;
  /** Revisions whose passages are skipped. */
  without: readonly number[];
  /** Passages of revisions after this one are skipped, too. */
  newest?: number;
}

export type Bodies = Iterable<{ revision: number; body: string }>;

export interface Passages {
  add(rows: readonly Row[]): Promise<void>;
  remove(revisions: readonly number[]): Promise<void>;
  /** The number of passages of each revision. */
  counts(): Promise<Map<number, number>>;
  /** The searchable texts of some revisions. Default: of all revisions. */
  bodies(revisions?: readonly number[]): AsyncIterable<Bodies>;
  /** Best first. */
  nearest(vector: Float32Array, search: Search): Promise<Hit[]>;
  /** Best first. */
  matching(query: string, search: Search): Promise<Hit[]>;
  /** Merges small files, updates indexes and removes old versions, if that is due. */
  upkeep(when: 'busy' | 'idle'): Promise<void>;
  /** Makes visible what other processes have written so far. */
  refresh(): Promise<void>;
  /** False if the files of existing passages are missing. */
  isThere(): boolean;
  close(): void;
}

const TABLE = 'passages';
const MIB = 1024 * 1024;
// Search all partitions: comparing the codes of 100,000 passages takes 3 ms, and the vectors of texts don't form clusters.
const PARTITIONS_SEARCHED = 1_024;
// For each requested result, this many candidates by code are compared by vector. Of the 50 passages that are nearest to
// questions, among 60,000 passages of 512 dimensions, 4 finds 86 % (and 97 % of the first ten); 8 finds 96 % (99 %) and takes 2
// ms longer.
const REFINED = 8;
// Reopen the connection after this many runs of the maintenance: LanceDB keeps the files and memory of replaced indexes, four
// per run, until its connection is closed.
const UPKEEPS_A_CONNECTION = 16;

export interface PassagesOptions {
  readonly?: boolean;
  now?: () => number;
  /** The name of the table. */
  table?: string;
  /** LanceDB's options for opening the folder if it is an address in an object store. */
  storage?: Record<string, string>;
}

/** Throws if the folder contains an unreadable table. */
export async function openPassages(
  folder: string,
  { readonly = false, now = Date.now, table: name = TABLE, storage }: PassagesOptions = {},
): Promise<Passages> {
  const lance = await loadLance();
  // LanceDB's default limits are 6 GB and 1 GB.
  const session = () => new lance.Session(BigInt(96 * MIB), BigInt(16 * MIB));
  const connect = () => lance.connect(folder, storage ? { storageOptions: storage } : {}, session());
  const existing = async () =>
    (await connection.tableNames()).includes(name) ? connection.openTable(name) : undefined;
  let connection = await connect();
  let table = await existing();
  const rows = (await table?.countRows()) ?? 0;
  const upkeep = openUpkeep(lance, { rows, now, isAlone: storage === undefined });
  // A process may have been killed between creating a table and its index.
  if (table && !readonly) await upkeep.begin(table);
  const readings = new Set<Promise<unknown>>();
  let upkeeps = 0;

  /** Replaces the connection. Running reads finish on the old one. */
  async function renew(): Promise<void> {
    const before = { connection, table };
    const next = await connect();
    table = await next.openTable(name);
    connection = next;
    await Promise.allSettled(readings);
    before.table?.close();
    before.connection.close();
  }

  async function reading<T>(read: Promise<T>): Promise<T> {
    readings.add(read);
    return read.finally(() => readings.delete(read));
  }

  return {
    async add(rows) {
      if (rows.length === 0) return;
      // Load Arrow together with LanceDB instead of at the start of the service.
      const { tableOf } = await import('./arrow-table.ts');
      const data = tableOf(rows);
      if (table) await table.add(data);
      else {
        table = await connection.createTable(name, data);
        await upkeep.begin(table);
      }
      upkeep.changed(rows.length);
    },
    async remove(revisions) {
      if (!table || revisions.length === 0) return;
      await table.delete(among(revisions));
      upkeep.changed(0);
    },
    async counts() {
      const counts = new Map<number, number>();
      for await (const batch of table?.query().select(['revision']) ?? [])
        for (const revision of batch.getChild('revision')?.toArray() ?? [])
          counts.set(revision, (counts.get(revision) ?? 0) + 1);
      return counts;
    },
    async *bodies(revisions) {
      if (!table) return;
      const query = table.query().select(['revision', 'body']);
      if (revisions) query.where(among(revisions));
      for await (const batch of query) {
        const [revision, body] = [batch.getChild('revision'), batch.getChild('body')];
        yield Array.from({ length: batch.numRows }, (_, at) => ({
          revision: revision?.get(at),
          body: body?.get(at),
        }));
      }
    },
    async nearest(vector, { limit, ...bounds }) {
      if (!table) return [];
      const query = table.query().nearestTo(vector).distanceType('cosine');
      const refined = query.nprobes(PARTITIONS_SEARCHED).refineFactor(REFINED).limit(limit);
      const selected = filtered(refined, bounds).select([...COLUMNS, '_distance']);
      const found = await reading(selected.toArray());
      return found.map((row) => hitOf(row, 1 - row._distance)).filter(({ score }) => Number.isFinite(score));
    },
    async matching(words, { limit, ...bounds }) {
      if (!table) return [];
      const query = table.query().fullTextSearch(new lance.MatchQuery(words, 'body')).limit(limit);
      const found = await reading(
        filtered(query, bounds)
          .select([...COLUMNS, '_score'])
          .toArray(),
      );
      return found.map((row) => hitOf(row, row._score));
    },
    upkeep: async (when) => {
      if (table && (await upkeep.run(table, when)) && ++upkeeps % UPKEEPS_A_CONNECTION === 0) await renew();
    },
    async refresh() {
      if (table) await table.checkoutLatest();
      else table = await existing();
    },
    isThere: () => !table || storage !== undefined || existsSync(join(folder, `${name}.lance`)),
    close() {
      table?.close();
      connection.close();
    },
  };
}

type Filterable = { where(predicate: string): unknown };

function filtered<Q extends Filterable>(query: Q, { without, newest }: Omit<Search, 'limit'>): Q {
  const conditions = [
    ...(without.length > 0 ? [`NOT (${among(without)})`] : []),
    ...(newest === undefined ? [] : [`revision <= ${Math.trunc(newest)}`]),
  ];
  if (conditions.length > 0) query.where(conditions.join(' AND '));
  return query;
}

/** LanceDB's SQL has no parameters, so only the service's own integers must be inserted. */
export function among(revisions: readonly number[]): string {
  if (!revisions.every(Number.isSafeInteger)) throw new Error('a revision must be an integer');
  return `revision IN (${revisions.join(', ')})`;
}

interface FoundRow {
  id: string;
  revision: number;
  parent: string;
  heading: string;
  page: number;
  start: number;
  end: number;
  body: string;
}

function hitOf(row: FoundRow, score: number): Hit {
  const { id, revision, parent, heading, page, start, end, body } = row;
  const location = { heading, page: page === 0 ? null : page, start, end };
  return { id, revision, parent, ...location, text: textOf(heading, body), score };
}
