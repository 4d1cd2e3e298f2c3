/** Opens the SQLite driver: one process a file, durable write-ahead log, tables brought up to date. */
import { Database } from 'bun:sqlite';
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LeasedSaver } from '../driver/checkpoints/run-saver.ts';
import { configurationError, storageFull } from '../errors.ts';
import { ownCounters } from '../minute-counters.ts';
import type { OpenedState } from '../opened-state.ts';
import { ownSweeps } from '../sweeps.ts';
import { archive } from './archive.ts';
import { assistants } from './assistants/assistants.ts';
import { budgetStore } from './budgets/budgets.ts';
import { SqliteSaver } from './checkpoints/saver.ts';
import { checkpointStatements } from './checkpoints/statements.ts';
import { conversations } from './conversations.ts';
import { crons } from './crons/crons.ts';
import { documentAuthors } from './document-authors.ts';
import { erasure } from './erasure.ts';
import { groupCommit } from './file/group-commit.ts';
import { stateFileRefusal } from './file/identity.ts';
import { type LogSync, logSync } from './file/log-sync.ts';
import { diskRoom } from './file/room.ts';
import { type Migrated, migrate } from './file/schema.ts';
import { items } from './items.ts';
import { runSearch } from './search/search.ts';
import { spentTokens } from './spent-tokens.ts';
import { retentionHour } from './threads/retention-hour.ts';
import { usageStore } from './usage/usage.ts';

export interface SqliteOptions {
  /** The database file; its folder is made where it is missing. */
  path: string;
  /** How many checkpoints of a thread are kept beside its head. */
  checkpointsPerThread: number;
  /** Is called where the tables were brought up to date. */
  migrated?: ((versions: Migrated) => void) | undefined;
}

const FIELD = 'chat_history.database_path';

/** Throws CONFIGURATION_ERROR when the file cannot be used, or when another process has it open. */
export function openSqlite(options: SqliteOptions): OpenedState {
  refuseForeign(options.path, FIELD);
  const lock = takeLock(options.path);
  const { db, log } = openFiles(options, lock);
  const commit = groupCommit(db, log.sync);
  const sql = checkpointStatements(db);
  const saver = new SqliteSaver(sql, commit);
  const room = diskRoom(options.path, commit.isFull);
  return {
    ...conversations(db, commit, saver, options.checkpointsPerThread),
    shared: false,
    archive: archive(db, commit, saver),
    spentTokens: spentTokens(db, commit),
    counters: ownCounters(),
    documentAuthors: documentAuthors(db, commit),
    erasure: erasure(db, commit),
    assistants: assistants(db, commit),
    crons: crons(db, commit),
    items: items(db, commit),
    usage: usageStore(db, commit),
    search: runSearch(db, commit),
    budgets: budgetStore(db, commit),
    sweeps: ownSweeps,
    leases: ownSweeps,
    retentionHour: retentionHour(db, commit),
    checkpointer: saver,
    saverOf: (run) => new LeasedSaver(new SqliteSaver(sql, commit, run), run),
    durable: commit.durable,
    async reachable() {
      await room();
      // Whether the cause is gone shows only in a transaction.
      if (commit.failure() && !commit.isFull()) await commit.commit('', () => {});
    },
    async check() {
      db.query('SELECT count(*) FROM sqlite_schema').get();
      const failure = commit.failure();
      // A full disk is looked at again by `reachable`.
      if (failure && !commit.isFull()) throw new Error(`the newest write failed: ${failure}`);
      return { bytes: sizeOf(options.path), commits: commit.commits() };
    },
    async close() {
      commit.flush();
      await commit.durable();
      log.close();
      optimize(db);
      db.close();
      lock.close();
    },
  };
}

/** Before anything is made beside the file. Throws CONFIGURATION_ERROR. */
export function refuseForeign(path: string, field: string): void {
  let refused: string | undefined;
  try {
    refused = stateFileRefusal(path);
  } catch (cause) {
    refused = reasonOf(cause);
  }
  if (refused !== undefined) throw configurationError(field, `the state file cannot be opened: ${refused}`);
}

function openFiles({ path, migrated }: SqliteOptions, lock: Database): { db: Database; log: LogSync } {
  try {
    const db = new Database(path, { create: true, strict: true });
    db.run('PRAGMA journal_mode = WAL');
    // The group commit syncs the log.
    db.run('PRAGMA synchronous = NORMAL');
    db.run('PRAGMA foreign_keys = ON');
    // What is deleted is overwritten: a deleted thread's text must not stay in the file.
    db.run('PRAGMA secure_delete = ON');
    // Waiting for somebody outside would stop the event loop: the group commit tries again.
    db.run('PRAGMA busy_timeout = 5');
    const versions = migrate(db);
    if (versions) migrated?.(versions);
    return { db, log: logSync(`${path}-wal`) };
  } catch (cause) {
    lock.close();
    throw configurationError(FIELD, `the state file cannot be opened: ${reasonOf(cause)}`);
  }
}

/**
 * Holds a lock beside the file for as long as the process lives; the operating system drops it at `kill -9`. A file of
 * its own, so that the state itself stays readable for backups while the service runs.
 */
export function takeLock(path: string, field = FIELD): Database {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const lock = new Database(`${path}-lock`, { create: true });
    lock.run('PRAGMA locking_mode = EXCLUSIVE');
    lock.run('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    const busy = reasonOf(cause).includes('locked');
    throw configurationError(
      field,
      busy
        ? 'another process serves from this state file; stop it, or give this one a file of its own'
        : `the state file cannot be opened: ${reasonOf(cause)}`,
    );
  }
}

/** Statistics for the next start. While somebody outside writes to the file, or without room, they wait for the next close. */
function optimize(db: Database): void {
  try {
    db.run('PRAGMA optimize');
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY' && !storageFull(error)) throw error;
  }
}

/** The file and what has not been moved into it from its log yet. */
function sizeOf(path: string): number {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return statSync(path).size + (log?.size ?? 0);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
