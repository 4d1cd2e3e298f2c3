/** Lets one process at a time write an index. */
import { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { configurationError } from '../../../../state/errors.ts';

export interface Lock {
  release(): void;
}

/**
 * Undefined if another process holds the lock. The lock file is beside the index, so that a second process can't get the lock
 * if the index is deleted. The operating system releases the lock even after `kill -9`.
 */
export function takeLock(indexPath: string): Lock | undefined {
  let file: Database | undefined;
  try {
    mkdirSync(dirname(indexPath), { recursive: true });
    file = new Database(`${indexPath}-lock`, { create: true });
    file.run('PRAGMA locking_mode = EXCLUSIVE');
    file.run('BEGIN EXCLUSIVE');
    const held = file;
    return { release: () => held.close() };
  } catch (cause) {
    file?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (reason.includes('locked')) return undefined;
    throw configurationError('knowledge_base.index_path', `the index cannot be opened: ${reason}`);
  }
}
