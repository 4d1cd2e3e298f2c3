/** Inserts rows of threads and runs, for tests of related tables. */
import type { Database } from '../../../state/postgres/database/database.ts';

export async function insertThread(database: Database, threadId: string, owner = 'ann'): Promise<number> {
  const row = await database.get<{ key: number }>(
    `INSERT INTO skein.threads (owner, thread_id, workflow, created_at, updated_at)
     VALUES ($1, $2, 'w', 1, 1) RETURNING key`,
    owner,
    threadId,
  );
  if (!row) throw new Error('no thread');
  return row.key;
}

export interface NewRow {
  runId: string;
  thread: number;
  status: 'queued' | 'running' | 'succeeded' | 'failed';
  startedAt?: number;
  finishedAt?: number;
  request?: string;
}

export async function insertRun(database: Database, row: NewRow): Promise<void> {
  const { runId, thread, status, startedAt = null, finishedAt = null, request = REQUEST } = row;
  await database.run(
    `INSERT INTO skein.runs (run_id, thread, owner, message_id, workflow, status, request, protocol, supersedes,
       created_at, started_at, finished_at, result, agents)
     SELECT $1, key, owner, $1, 'w', $3, $4, 1, 0, 1, $5, $6, '{"agentResponse": "!"}', '[{"agent": "a"}]'
     FROM skein.threads WHERE key = $2`,
    runId,
    thread,
    status,
    request,
    startedAt,
    finishedAt,
  );
}

/** Inserts a row as the end of a run does. */
export async function insertDelivery(database: Database, runId: string, dueAt: number): Promise<void> {
  await database.run(
    `INSERT INTO skein.webhook_deliveries (delivery_id, thread, run_id, url, run, head, due_at)
     SELECT 'of ' || r.run_id, r.thread, r.run_id, 'https://hooks.example.org/a', (to_jsonb(r) || jsonb_build_object(
       'thread_id', t.thread_id, 'owner', t.owner, 'agents', null, 'result', null))::text, t.head, $2
     FROM skein.runs AS r JOIN skein.threads AS t ON t.key = r.thread WHERE r.run_id = $1`,
    runId,
    dueAt,
  );
}

const REQUEST = JSON.stringify({ userPrompt: 'NUL: \0', deadlineSeconds: 1, requestId: 'r' });
