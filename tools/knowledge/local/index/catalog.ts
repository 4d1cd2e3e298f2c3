/** The catalog of an index in one SQLite file: its documents with their revisions, and the sections around passages. */
import { Database } from 'bun:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Parent } from '../../documents/chunk.ts';

/** A document's state when it was last read. */
export interface Entry {
  name: string;
  /** The revision of its passages. A document that is read again gets a new revision. */
  revision: number;
  /** A value that changes with the file; empty if the file must be examined again. */
  stamp: string;
  /** The hash of the file's bytes. */
  hash: string;
  bytes: number;
  modified: Date;
  chunks: number;
  /** Why it could not be read. */
  error: string | null;
  /** When to read it again even if it doesn't change, in milliseconds since 1970; null for never. */
  retryAt: number | null;
  /** The number of failed retries. */
  tries: number;
}

export interface Catalog {
  /** The embedder and the version of the splitting that created the index; undefined for a new index. */
  identity(): string | undefined;
  identify(identity: string): void;
  entries(): Iterable<Entry>;
  find(name: string): Entry | undefined;
  nextRevision(): number;
  /** A number that increases with every commit. */
  moment(): number;
  /** The document with this revision at `moment`; undefined if no document had it. */
  documentAt(revision: number, moment: number): string | undefined;
  /** Revisions that belong to no document, and whose passages have not been removed yet. */
  stale(): number[];
  /** The stale revisions that no search uses any longer, on this or another server. */
  removable(): number[];
  keepParents(revision: number, parents: readonly Parent[]): void | Promise<void>;
  /** The sections around the passages, in the order of the passages. */
  contexts(passages: readonly Placed[]): Contexts | Promise<Contexts>;
  /** Atomically updates the entries of documents, and removes the documents in `removed`. */
  commit(entries: readonly Entry[], removed: readonly string[]): void | Promise<void>;
  /** Marks a revision as stale that no document will get. */
  discard(revision: number): void;
  /**
   * Tells other processes why a document could not be indexed for a reason other than the document; undefined when it has been
   * indexed.
   */
  keepTrouble(name: string, sentence: string | undefined): void;
  troubles(): ReadonlyMap<string, string>;
  /** Deletes stale revisions and their data. */
  purge(revisions: readonly number[]): Promise<void>;
  close(): void;
}

/** Identifies a passage's section within its document. */
export interface Placed {
  revision: number;
  parent: string;
}

export type Contexts = (string | undefined)[];

interface Life {
  name: string;
  from: number;
  until: number;
}

/** Throws SQLite's error if the file is not a database. */
export function openCatalog(path: string, { readonly }: { readonly: boolean }): Catalog {
  const db = new Database(path, readonly ? { readonly, strict: true } : { create: true, strict: true });
  try {
    if (!readonly) prepare(db);
    return catalogOf(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepare(db: Database): void {
  db.run('PRAGMA journal_mode = WAL');
  // A power failure may lose the newest commits; those documents are read again. Everything here can be rebuilt.
  db.run('PRAGMA synchronous = NORMAL');
  db.run(`CREATE TABLE IF NOT EXISTS documents (
    name TEXT PRIMARY KEY, revision INTEGER NOT NULL, stamp TEXT NOT NULL, hash TEXT NOT NULL,
    bytes INTEGER NOT NULL, modified INTEGER NOT NULL, chunks INTEGER NOT NULL, error TEXT,
    retryAt INTEGER, tries INTEGER NOT NULL DEFAULT 0)`);
  addRetries(db);
  db.run('CREATE TABLE IF NOT EXISTS identity (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL)');
  db.run('CREATE TABLE IF NOT EXISTS stale (revision INTEGER PRIMARY KEY)');
  db.run(`CREATE TABLE IF NOT EXISTS parents (
    revision INTEGER NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (revision, id))`);
  db.run('CREATE TABLE IF NOT EXISTS troubles (name TEXT PRIMARY KEY, sentence TEXT NOT NULL)');
  // Left over from the previous process.
  db.run('DELETE FROM troubles');
  // Left over from documents that were being read when a process was killed.
  db.run(`DELETE FROM parents WHERE revision NOT IN (SELECT revision FROM documents)
    AND revision NOT IN (SELECT revision FROM stale)`);
}

/** Migrates a file of an earlier version. */
function addRetries(db: Database): void {
  const columns = db.query<{ name: string }, []>("SELECT name FROM pragma_table_info('documents')").all();
  if (columns.some(({ name }) => name === 'retryAt')) return;
  db.run('ALTER TABLE documents ADD COLUMN retryAt INTEGER');
  db.run('ALTER TABLE documents ADD COLUMN tries INTEGER NOT NULL DEFAULT 0');
}

type Row = Omit<Entry, 'modified'> & { modified: number };

function catalogOf(db: Database): Catalog {
  const documents = new Map<string, Entry>();
  const lives = new Map<number, Life>();
  const stale = new Set<number>();
  let moment = 0;
  for (const row of db.query<Row, []>('SELECT * FROM documents ORDER BY name').iterate()) {
    documents.set(row.name, { ...row, modified: new Date(row.modified) });
    lives.set(row.revision, { name: row.name, from: 0, until: Number.POSITIVE_INFINITY });
  }
  for (const { revision } of db.query<{ revision: number }, []>('SELECT revision FROM stale').iterate())
    stale.add(revision);
  let newest = Math.max(0, highest(lives.keys()), highest(stale));

  const insert = db.query(`INSERT OR REPLACE INTO documents
    VALUES ($name, $revision, $stamp, $hash, $bytes, $modified, $chunks, $error, $retryAt, $tries)`);
  const outdate = db.query('INSERT OR IGNORE INTO stale VALUES ($revision)');
  const remove = db.query('DELETE FROM documents WHERE name = $name');
  const keep = db.query('INSERT OR REPLACE INTO parents VALUES ($revision, $id, $text)');
  const forgetSome = db.query(`DELETE FROM parents WHERE rowid IN
    (SELECT rowid FROM parents WHERE revision = $revision LIMIT 200)`);
  const find = db.query<{ text: string }, { revision: number; id: string }>(
    'SELECT text FROM parents WHERE revision = $revision AND id = $id',
  );

  function supersede(name: string, revision?: number): void {
    const before = documents.get(name);
    if (!before || before.revision === revision) return;
    outdate.run({ revision: before.revision });
  }

  function remember(entries: readonly Entry[], removed: readonly string[]): void {
    moment++;
    for (const name of removed) end(name);
    for (const entry of entries) {
      const { name, revision } = entry;
      if (documents.get(name)?.revision !== revision) end(name);
      documents.set(name, entry);
      if (!lives.has(revision)) lives.set(revision, { name, from: moment, until: Number.POSITIVE_INFINITY });
    }
  }

  function end(name: string): void {
    const before = documents.get(name);
    if (!before) return;
    documents.delete(name);
    stale.add(before.revision);
    const life = lives.get(before.revision);
    if (life) life.until = moment;
  }

  return {
    identity: () => db.query<{ text: string }, []>('SELECT text FROM identity').get()?.text,
    identify: (text) => {
      db.run('INSERT OR REPLACE INTO identity VALUES (1, ?)', [text]);
    },
    entries: () => documents.values(),
    find: (name) => documents.get(name),
    nextRevision: () => ++newest,
    moment: () => moment,
    documentAt(revision, at) {
      const life = lives.get(revision);
      return life && life.from <= at && at < life.until ? life.name : undefined;
    },
    stale: () => [...stale],
    removable: () => [...stale],
    keepParents: (revision, parents) =>
      db.transaction(() => {
        for (const { id, text } of parents) keep.run({ revision, id, text });
      })(),
    contexts: (passages) => passages.map(({ revision, parent: id }) => find.get({ revision, id })?.text),
    commit(entries, removed) {
      db.transaction(() => {
        for (const name of removed) {
          supersede(name);
          remove.run({ name });
        }
        for (const entry of entries) {
          supersede(entry.name, entry.revision);
          insert.run({ ...entry, modified: entry.modified.getTime() });
        }
      })();
      remember(entries, removed);
    },
    discard(revision) {
      outdate.run({ revision });
      stale.add(revision);
    },
    keepTrouble(name, sentence) {
      if (sentence === undefined) db.run('DELETE FROM troubles WHERE name = ?', [name]);
      else db.run('INSERT OR REPLACE INTO troubles VALUES (?, ?)', [name, sentence]);
    },
    troubles: () =>
      new Map(
        db
          .query<{ name: string; sentence: string }, []>('SELECT name, sentence FROM troubles')
          .all()
          .map(({ name, sentence }) => [name, sentence]),
      ),
    async purge(revisions) {
      for (const revision of revisions) {
        // A large document has thousands of sections, so yield to other work in between.
        while (forgetSome.run({ revision }).changes > 0) await nextTurn();
        db.run('DELETE FROM stale WHERE revision = ?', [revision]);
        stale.delete(revision);
        lives.delete(revision);
      }
    },
    close: () => db.close(),
  };
}

function highest(numbers: Iterable<number>): number {
  let most = 0;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}
