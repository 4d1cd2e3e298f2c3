/** Whether the state is usable: its file or its database. */
import type { Settings } from '../../../settings/schema.ts';
import { examineDatabase, stateLabel } from '../drivers/open-state.ts';
import { type Check, failure, ok } from './check.ts';
import { stateFileCheck } from './state-file.ts';

const NAME = 'state database';

/** Changes nothing. `isServed`: a Skein service already uses the configured port. */
export async function stateCheck(settings: Settings, isServed: boolean): Promise<Check> {
  const { database_type: type, database_path: path } = settings.chat_history;
  if (type === 'sqlite') return stateFileCheck(path, isServed);
  const label = stateLabel(settings);
  const { problem, version, bytes = 0, isMade } = await examineDatabase(settings);
  if (problem !== undefined)
    return failure(NAME, `${label}: ${problem}`, 'change DATABASE_URL or the permissions on the server');
  const size = isMade ? `${(bytes / 1024 ** 2).toFixed(1)} MiB` : 'the tables are created at the first start';
  return ok(NAME, `${label}: PostgreSQL ${version}, ${size}`);
}
