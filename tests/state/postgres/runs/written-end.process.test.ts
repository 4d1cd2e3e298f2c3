/** The end of a run whose answer is lost with the connection, and which is written again. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { errorBody, SkeinError } from '../../../../state/errors.ts';
import { type Database, openDatabase } from '../../../../state/postgres/database/database.ts';
import { endDocument } from '../../../../state/postgres/runs/end-document.ts';
import { writtenEnd } from '../../../../state/postgres/runs/written-end.ts';
import type { NewRun } from '../../../../state/threads/runs.ts';
import type { Thread } from '../../../../state/threads/threads.ts';
import { newRun } from '../../../contracts/coordination.ts';
import { accepted, checkpoint, failedEnd } from '../../../contracts/turn.ts';
import { openedPostgres } from '../../../support/opened-postgres.ts';
import { POSTGRES } from '../../../support/postgres-database.ts';

setDefaultTimeout(30_000);

function protocolRun(): NewRun {
  const run = newRun();
  const protocol = { metadata: {}, strategy: 'enqueue' as const, streamModes: [], streamSubgraphs: false };
  return { ...run, request: { ...run.request, protocol: { assistantId: 'a', ...protocol } } };
}

/** The answer of its first transaction is lost. `meanwhile` runs before the next one. */
function cutOnce(database: Database, meanwhile: () => Promise<void>): Database {
  let isCut = false;
  return {
    ...database,
    async transaction(work) {
      const result = await database.transaction(work);
      if (isCut) return result;
      isCut = true;
      await meanwhile();
      throw new SkeinError('STATE_UNAVAILABLE');
    },
  };
}

test.skipIf(POSTGRES === undefined)(
  'does not change the interrupt of a run that has ended on the thread since',
  async () => {
    const { state, url, close } = await openedPostgres();
    const database = openDatabase({ url, size: 2, timeoutMs: 10_000 });
    const { coordination, checkpointer, threads } = state;

    /** Puts a checkpoint with an open interrupt; returns its id. */
    async function asks(thread: Thread, run: NewRun, question: string): Promise<string> {
      const id = await checkpoint(state, thread, run, 'x');
      const config = { configurable: { thread_id: thread.key, checkpoint_ns: '', checkpoint_id: id } };
      await checkpointer.putWrites(
        config,
        [['__interrupt__', [{ id: question, value: `${question}?` }]]],
        't',
      );
      return id;
    }

    const first = await accepted(state, protocolRun());
    const { thread } = first;
    await asks(thread, first.run, 'i');
    const second = protocolRun();
    async function meanwhile(): Promise<void> {
      const { lease, thread } = await accepted(state, second);
      await asks(thread, second, 'j');
      const interrupts = [{ interruptId: 'j', value: 'j?', agent: 'a', path: [] }];
      const answer = { agentResponse: '', outputs: [], followupQuestions: {}, memorySummary: '', model: 'm' };
      const result = { ...answer, interrupts, stoppedAt: [] };
      const memory = { messages: 0, tokens: 0, summary: '' };
      const outcome = { status: 'interrupted' as const, result, memory };
      await coordination.end(lease, { ...failedEnd({ run: second, thread }), outcome }, false);
    }

    const [server] = await database.all<{ id: string }>('SELECT id FROM skein.servers');
    const error = errorBody(new SkeinError('INTERNAL_ERROR'), 'r');
    const end = { ...failedEnd(first), outcome: { status: 'failed' as const, error } };
    const place = { number: 1, confirmed: 0 };
    const ended = endDocument(first.lease, end, { keep: 20, units: [], place, more: false });
    const parts = { database: cutOnce(database, meanwhile), server: server?.id ?? '', retryForMs: 5_000 };
    expect(await writtenEnd(parts, end, ended)).toMatchObject({ outcome: 'ended', claim: null });
    expect((await threads.byKey(thread.key))?.interrupt).toMatchObject({
      runId: second.runId,
      interrupts: [{ interruptId: 'j', agent: 'a' }],
    });
    await database.close();
    await close();
  },
);
