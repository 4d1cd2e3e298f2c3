/** Reads the service's data from its database. */
import { askState } from '../../support/stored-state.ts';
import { ON_POSTGRES } from '../../support/test-state.ts';

interface StoredRun {
  run_id: string;
  status: string;
  prompt: string;
  request: string;
  code: string | null;
}

export interface Stored {
  runs: StoredRun[];
  messages: { message_id: string; role: string; content: string; user_id: string | null }[];
  threads: number;
}

interface RunRow {
  run_id: string;
  status: string;
  request: string;
  error: string | null;
}

const ACCEPTED = ON_POSTGRES ? 'seq' : 'run_id';

/** Runs in the order in which they were accepted, messages in the order in which they were written. */
export async function storedIn(folder: string): Promise<Stored> {
  const [runs, messages, threads] = await Promise.all([
    askState<RunRow>(folder, `SELECT run_id, status, request, error FROM runs ORDER BY ${ACCEPTED}`),
    askState<Stored['messages'][number]>(
      folder,
      'SELECT message_id, role, content, user_id FROM messages ORDER BY seq',
    ),
    askState<{ n: number }>(folder, 'SELECT count(*) AS n FROM threads'),
  ]);
  return {
    runs: runs.map(({ error, ...run }) => ({
      ...run,
      prompt: JSON.parse(run.request).userPrompt,
      code: error === null ? null : JSON.parse(error).error_code,
    })),
    messages,
    threads: threads[0]?.n ?? 0,
  };
}
