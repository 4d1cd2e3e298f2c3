/** Runs and their messages as rows: what stands in for coordination in the tests of threads. */
import { type RunRow, toMessage, toRun } from '../../../state/driver/rows.ts';
import { ttlColumns } from '../../../state/driver/thread-ttl.ts';
import type { Database, Value } from '../../../state/postgres/database/database.ts';
import { type NewRun, type RunEnd, waits } from '../../../state/runs.ts';
import type { State } from '../../../state/state.ts';
import type { Thread, Threads } from '../../../state/threads.ts';

type Accept = State['coordination']['accept'];
type End = State['coordination']['end'];

export function runRows(database: Database, threads: Threads) {
  const accept: Accept = async (run) => {
    const { owner, threadId, request, idempotency, createdAt } = run;
    const before = await threads.find(owner, threadId);
    const thread = before ?? (await insertThread(database, run, threads));
    const { interrupt } = thread;
    if (request.resume && interrupt?.runId !== request.resume.runId) return { outcome: 'answered' };
    if (interrupt && !request.resume && !request.supersedes)
      return { outcome: 'interrupted', value: interrupt.interrupts[0]?.value };
    const open = 'SELECT 1 FROM skein.runs WHERE thread = $1 AND finished_at IS NULL';
    const starts = (await database.get(open, Number(thread.key))) === undefined;
    const number = starts ? 1 : 0;
    await insert(database, 'runs', {
      ...{
        run_id: run.runId,
        thread: Number(thread.key),
        owner,
        message_id: run.messageId,
        workflow: run.workflow,
      },
      ...{
        status: starts ? 'running' : 'queued',
        started_at: starts ? createdAt : null,
        created_at: createdAt,
      },
      ...{
        request: JSON.stringify(request),
        protocol: request.protocol ? 1 : 0,
        supersedes: 0,
        lease: number,
      },
      resumes: request.resume?.runId ?? null,
    });
    if (idempotency)
      await insert(database, 'idempotency', {
        ...idempotency,
        owner,
        run_id: run.runId,
        created_at: createdAt,
      });
    const lease = { runId: run.runId, number };
    const claim = starts ? { lease, thread } : undefined;
    return { outcome: 'accepted', threadKey: thread.key, lease, claim } as Awaited<ReturnType<Accept>>;
  };

  const end: End = async (lease, ended) => {
    const { run, before, finishedAt, usage, events, outcome } = ended;
    const key = Number(run.threadKey);
    const result = 'result' in outcome ? outcome.result : null;
    await database.run(
      `UPDATE skein.runs SET status = $2, finished_at = $3, input_tokens = $4, output_tokens = $5, agents = '[]',
         result = $6 WHERE run_id = $1`,
      ...[lease.runId, outcome.status, finishedAt, usage.inputTokens, usage.outputTokens],
      result && JSON.stringify(result),
    );
    for (const { first, last, entries } of events)
      await insert(database, 'events', {
        ...{ run_id: run.runId, first, last, chat_first: first, chat_last: last, thread: key },
        ...{ seq: await nextSeq(key, last), created_at: finishedAt, body: JSON.stringify(entries) },
      });
    await database.run(
      'UPDATE skein.threads SET updated_at = $2, failed = $3 WHERE key = $1',
      ...[key, finishedAt, outcome.status === 'failed' ? 1 : 0],
    );
    if (!('result' in outcome)) await undo(run, before);
    else await advance(ended, outcome);
    return undefined;
  };

  async function nextSeq(key: number, last: number): Promise<number> {
    const row = await database.get<{ last_seq: number }>(
      'UPDATE skein.threads SET last_seq = last_seq + $2 WHERE key = $1 RETURNING last_seq',
      ...[key, last],
    );
    return row?.last_seq ?? 0;
  }

  async function undo({ threadKey, runId }: RunEnd['run'], before: RunEnd['before']): Promise<void> {
    const ofRun = 'thread = $1 AND run_id = $2';
    await database.run(`DELETE FROM skein.checkpoints WHERE ${ofRun}`, threadKey, runId);
    if (before.interrupt)
      await database.run(
        'SELECT skein.restore_v1($1, $2, interrupt_writes) FROM skein.threads WHERE key = $3',
        ...[threadKey, before.interrupt.headBefore, Number(threadKey)],
      );
  }

  async function advance(
    { run, before, finishedAt }: RunEnd,
    { result, memory }: Extract<RunEnd['outcome'], { result: unknown }>,
  ): Promise<void> {
    const { threadKey, runId, workflow } = run;
    const waiting = waits(result);
    const texts = waiting ? [] : [run.request.userPrompt, result.agentResponse];
    for (const [index, content] of texts.entries())
      await insert(database, 'messages', {
        ...{ thread: Number(threadKey), message_id: index === 1 ? run.messageId : Bun.randomUUIDv7() },
        ...{ run_id: runId, workflow, role: index === 1 ? 'assistant' : 'user', content },
        ...{ status: 'complete', created_at: finishedAt },
      });
    const { headBefore, memoryBefore } = before.interrupt ?? {
      headBefore: before.head,
      memoryBefore: before.memory,
    };
    const { interrupts, stoppedAt } = result;
    const pending = { interrupts, stoppedAt, runId, headBefore, memoryBefore };
    await database.run(
      `UPDATE skein.threads SET memory = $2, workflow = $3, message_count = $4, interrupt = $5,
         interrupt_writes = CASE WHEN $5::text IS NOT NULL THEN skein.snapshot_v1($6, $7) END,
         head = coalesce((SELECT max(id) FROM skein.checkpoints WHERE thread = $6 AND ns = '' AND run_id = $8), head)
       WHERE key = $1`,
      ...[Number(threadKey), JSON.stringify(memory), workflow, before.messageCount + texts.length],
      ...[waiting ? JSON.stringify(pending) : null, threadKey, headBefore, runId],
    );
  }

  const found = (table: string, id: string) =>
    `SELECT x.*, t.thread_id FROM skein.${table} AS x JOIN skein.threads AS t ON t.key = x.thread
     WHERE x.${id} = $1 AND t.owner = $2`;
  return {
    coordination: {
      accept,
      end,
      repeated: (owner: string, { key }: { key: string }) =>
        database.get('SELECT run_id FROM skein.idempotency WHERE owner = $1 AND key = $2', owner, key),
    },
    runs: {
      find: async (owner: string, id: string) =>
        toRun((await database.get<RunRow>(found('runs', 'run_id'), id, owner)) ?? null),
    },
    messages: {
      find: async (owner: string, id: string) =>
        toMessage((await database.get(found('messages', 'message_id'), id, owner)) ?? null),
    },
    events: {
      read: (id: string) => database.all('SELECT * FROM skein.events WHERE run_id = $1', id),
    },
  };
}

async function insertThread(database: Database, run: NewRun, threads: Threads): Promise<Thread> {
  const { owner, threadId, title, workflow, createdAt, request, threadTtl } = run;
  const { protocol } = request;
  const [ttl, strategy] = ttlColumns(threadTtl);
  await insert(database, 'threads', {
    ...{ owner, thread_id: threadId, title, workflow, created_at: createdAt, updated_at: createdAt },
    ...{ keeps_all: protocol ? 1 : 0, temporary: protocol?.temporary ? 1 : 0 },
    ...{ ttl, ttl_strategy: strategy, ttl_since: createdAt },
  });
  const made = await threads.find(owner, threadId);
  if (!made) throw new Error('no thread');
  return made;
}

async function insert(database: Database, table: string, row: Record<string, Value>): Promise<void> {
  const places = Object.keys(row).map((_, index) => `$${index + 1}`);
  await database.run(
    `INSERT INTO skein.${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
    ...Object.values(row),
  );
}
