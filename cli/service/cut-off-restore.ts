/** The journal of a restore: while it is there, what lies at the places may be of two backups. */
import { existsSync, readFileSync } from 'node:fs';
import type { Settings } from '../../settings/schema.ts';
import { configurationError } from '../../state/errors.ts';

export interface Journal {
  /** The backup's folder. */
  backup: string;
  moves: Move[];
}

/** What has a place goes aside, then what is new gets the place; without anything new, it only goes aside. */
export interface Move {
  place: string;
  aside: string;
  fresh: string | undefined;
}

/** Beside the state file, also where the state is on PostgreSQL. */
export function journalPath({ chat_history }: Settings): string {
  return `${chat_history.database_path}-restore`;
}

export function readJournal(path: string): Journal | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Journal) : undefined;
}

/** Throws CONFIGURATION_ERROR, which says what to do. */
export function assertRestored(settings: Settings): void {
  const journal = readJournal(journalPath(settings));
  if (journal)
    throw configurationError(
      'chat_history.database_path',
      `a restore was cut off; run "skein restore ${journal.backup}" again, which finishes it`,
    );
}
