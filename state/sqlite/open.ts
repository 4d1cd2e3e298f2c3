/** Opens a state file: locks it for this process, migrates the schema and creates all stores. */
import { Database } from 'bun:sqlite';
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { localCounters } from '../callers/minute-counters.ts';
import { localSweeps } from '../cluster/sweeps.ts';
import { LeasedSaver } from '../driver/checkpoints/run-saver.ts';
import { configurationError } from '../errors.ts';
import type { OpenedState } from '../opened-state.ts';
import { archive } from './archive.ts';
import { assistants } from './assistants/assistants.ts';
import { budgetStore } from './budgets/budgets.ts';
import { SqliteSaver } from './checkpoints/saver.ts';
import { checkpointStatements } from './checkpoints/statements.ts';
import { conversations } from './conversations.ts';
import { crons } from './crons/crons.ts';
import { documentAuthors } from './document-authors.ts';
import { erasure } from './erasure.ts';
import { AUTOCHECKPOINT_PAGES } from './file/checkpoint-size.ts';
import { diskSpace } from './file/disk-space.ts';
import { groupCommit } from './file/group-commit.ts';
import { stateFileRefusal } from './file/identity.ts';
import { type LogSync, logSync } from './file/log-sync.ts';
import { rawFile } from './file/raw-file.ts';
import { type Migrated, migrate } from './file/schema.ts';
import { dropEarlyStatistics, updateStatistics } from './file/statistics.ts';
import { items } from './items.ts';
import { runSearch } from './search/search.ts';
import { spentTokens } from './spent-tokens.ts';
import { retentionHour } from './threads/retention-hour.ts';
import { usageStore } from './usage/usage.ts';

export interface SqliteOptions {
  /** The database file. Its folder is created if it is missing. */
  path: string;
  /** The number of checkpoints to keep per thread, in addition to its head. */
  checkpointsPerThread: number;
  /** Called if the schema was migrated. */
  migrated?: ((versions: Migrated) => void) | undefined;
}

const FIELD = 'chat_history.database_path';

/** Throws CONFIGURATION_ERROR if the file cannot be used or another process is using it. */
export function openSqlite(options: SqliteOptions): OpenedState {
  refuseForeign(options.path, FIELD);
  const lock = takeLock(options.path);
  const { db, log } = openFiles(options, lock);
  const commit = groupCommit(db, log.sync);
  const file = rawFile(options.path);
  const sql = checkpointStatements(db);
  const saver = new SqliteSaver(sql, commit);
  const checkSpace = diskSpace(options.path, commit.isFull);
  return {
    ...conversations(db, commit, saver, options.checkpointsPerThread),
    shared: false,
    archive: archive({ db, commit, saver, file }),
    spentTokens: spentTokens(db, commit),
    counters: localCounters(),
    documentAuthors: documentAuthors(db, commit),
    erasure: erasure(db, commit),
    assistants: assistants(db, commit),
    crons: crons(db, commit),
    items: items(db, commit),
    usage: usageStore(db, commit),
    search: runSearch(db, commit),
    budgets: budgetStore(db, commit),
    sweeps: localSweeps,
    leases: localSweeps,
    retentionHour: retentionHour(db, commit),
    checkpointer: saver,
    saverOf: (run) => new LeasedSaver(new SqliteSaver(sql, commit, run), run),
    async durable() {
      await commit.durable();
      return true;
    },
    async reachable() {
      await checkSpace();
      // Only another transaction shows whether the cause of the failure is gone.
      if (commit.failure() && !commit.isFull()) await commit.commit('', () => {});
    },
    async check() {
      db.query('SELECT count(*) FROM sqlite_schema').get();
      const failure = commit.failure();
      // `reachable` checks a full disk again.
      if (failure && !commit.isFull()) throw new Error(`The newest write failed: ${failure}`);
      return { bytes: sizeOf(options.path), commits: commit.commits() };
    },
    async close() {
      commit.flush();
      await commit.durable();
      log.close();
      updateStatistics(db);
      db.close();
      file.close();
      lock.close();
    },
  };
}

/** Throws CONFIGURATION_ERROR if the file cannot be used. Must be called before the lock file is created beside it. */
export function refuseForeign(path: string, field: string): void {
  let reason: string | undefined;
  try {
    reason = stateFileRefusal(path);
  } catch (cause) {
    reason = reasonOf(cause);
  }
  if (reason !== undefined) throw configurationError(field, `the state file cannot be opened: ${reason}`);
}

function openFiles({ path, migrated }: SqliteOptions, lock: Database): { db: Database; log: LogSync } {
  try {
    const db = new Database(path, { create: true, strict: true });
    db.run('PRAGMA journal_mode = WAL');
    // The group commit syncs the log.
    db.run('PRAGMA synchronous = NORMAL');
    db.run('PRAGMA foreign_keys = ON');
    // Overwrites deleted rows, because the text of a deleted thread must not remain in the file.
    db.run('PRAGMA secure_delete = ON');
    // Temporary files of large sorts would contain text of users.
    db.run('PRAGMA temp_store = MEMORY');
    // 8 MB: a turn touches the ends of about thirty tables and indexes, for which the default of 2 MB is too small under load.
    db.run('PRAGMA cache_size = -8000');
    db.run(`PRAGMA wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`);
    // Waiting longer for another process would block the event loop. The group commit retries instead.
    db.run('PRAGMA busy_timeout = 5');
    const versions = migrate(db);
    if (versions) migrated?.(versions);
    dropEarlyStatistics(db);
    return { db, log: logSync(`${path}-wal`) };
  } catch (cause) {
    lock.close();
    throw configurationError(FIELD, `the state file cannot be opened: ${reasonOf(cause)}`);
  }
}

/**
 * Locks a file beside the state file until the process ends; the operating system releases the lock even after `kill -9`. The
 * lock is a separate file, so that backups can read the state file while the service is running.
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
        ? 'another process is using this state file. Stop it, or choose another file'
        : `the state file cannot be opened: ${reasonOf(cause)}`,
    );
  }
}

/** The size of the file and its log. */
function sizeOf(path: string): number {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return statSync(path).size + (log?.size ?? 0);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
