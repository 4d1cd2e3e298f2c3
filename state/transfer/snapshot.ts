/** Snapshots of a state file, taken while a service is using it. */
import { Database } from 'bun:sqlite';
import { identityOf, isForeign } from '../sqlite/file/identity.ts';
import { MIGRATIONS } from '../sqlite/file/schema.ts';

/**
 * Writes a snapshot to `target`, which must not exist. It contains everything that was committed before the call. The service
 * can write at the same time. Throws if the source cannot be read.
 */
export function snapshotFile(source: string, target: string): void {
  const db = new Database(source, { readonly: true });
  try {
    db.run('PRAGMA busy_timeout = 5000');
    db.query('VACUUM INTO ?').run(target);
  } finally {
    db.close();
  }
}

/** Checks a snapshot; returns its schema version or what is wrong with it. */
export function examineSnapshot(path: string): { version: number } | { problem: string } {
  try {
    const db = new Database(path, { readonly: true });
    try {
      const identity = identityOf(db);
      if (identity.version === 0 || isForeign(identity)) return { problem: 'it contains no state' };
      const { quick_check: found } = db.query('PRAGMA quick_check(1)').get() as { quick_check: string };
      return found === 'ok' ? { version: identity.version } : { problem: found };
    } finally {
      db.close();
    }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The schema version that this version of the service needs. */
export const SCHEMA_VERSION = MIGRATIONS.length;
