/** The journal of a restore: while it exists, the places may contain files of two backups. */
import { existsSync, readFileSync } from 'node:fs';
import type { Settings } from '../../../settings/schema.ts';
import { configurationError } from '../../../state/errors.ts';

export interface Journal {
  /** The backup's folder. */
  backup: string;
  moves: Move[];
}

/** Moves the existing file aside, then the new one into its place; without a new one, only moves aside. */
export interface Move {
  place: string;
  aside: string;
  fresh: string | undefined;
}

/** Beside the state file, even if the state is on PostgreSQL. */
export function journalPath({ chat_history }: Settings): string {
  return `${chat_history.database_path}-restore`;
}

export function readJournal(path: string): Journal | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Journal) : undefined;
}

/** Throws CONFIGURATION_ERROR with the next step. */
export function assertRestored(settings: Settings): void {
  const journal = readJournal(journalPath(settings));
  if (journal)
    throw configurationError(
      'chat_history.database_path',
      `a restore was interrupted; run "skein restore ${journal.backup}" again to finish it`,
    );
}
