/** Opens the service's database: a SQLite file, or a database that servers share. */
import type { Settings } from '../../../settings/schema.ts';
import type { OpenedState } from '../../../state/opened-state.ts';
import type { OpenedPromptFiles } from '../../../state/postgres/prompts/open.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { assertRestored } from './cut-off-restore.ts';

export interface OpenStateOptions {
  /** Called after a migration, with both versions. */
  migrated?(versions: { from: number; to: number }): void;
}

/** Throws CONFIGURATION_ERROR if the database is unusable. */
export async function openState(
  settings: Settings,
  { migrated }: OpenStateOptions = {},
): Promise<OpenedState> {
  assertRestored(settings);
  const { chat_history: options, cluster } = settings;
  const { checkpoints_per_thread: checkpointsPerThread } = options;
  if (options.database_type === 'sqlite')
    return openSqlite({ path: options.database_path, checkpointsPerThread, migrated });
  // The driver is loaded when it is used: its 80 modules would delay every start on SQLite.
  const { openPostgres } = await import('../../../state/postgres/open.ts');
  return openPostgres({
    url: options.connection_string ?? '',
    poolSize: options.pool_size,
    leaseSeconds: cluster.lease_seconds,
    checkpointsPerThread,
    migrated,
  });
}

/** Inspects the `postgresql` database without changing it. */
export async function examineDatabase({ chat_history }: Settings) {
  const { examinePostgres } = await import('../../../state/postgres/database/examine.ts');
  return examinePostgres(chat_history.connection_string ?? '');
}

/** For people: without user and password. */
export function stateLabel({ chat_history: options }: Settings): string {
  if (options.database_type === 'sqlite') return options.database_path;
  const { host, pathname } = new URL(options.connection_string ?? '');
  return `postgresql://${host}${pathname}`;
}

/** The prompt files in the database, for commands, which open nothing else of it. */
export async function openSharedPrompts({ chat_history }: Settings): Promise<OpenedPromptFiles> {
  const { openPromptFiles } = await import('../../../state/postgres/prompts/open.ts');
  return openPromptFiles(chat_history.connection_string ?? '');
}
