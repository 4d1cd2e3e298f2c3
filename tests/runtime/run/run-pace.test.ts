/** A run waits for its turn to start, and again before its end is stored, so that runs don't start and end in bursts. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { standingBudgets } from '../../../runtime/budgets/budgets.ts';
import { recordedCalls } from '../../../runtime/journal/recorded-calls.ts';
import { createMetrics } from '../../../runtime/metrics.ts';
import { runQueue } from '../../../runtime/queue/run-queue.ts';
import { slots } from '../../../runtime/queue/slots.ts';
import { type ActiveRun, runner } from '../../../runtime/run/active-run.ts';
import type { Executed } from '../../../runtime/run/execution/execution.ts';
import { watchLoop } from '../../../runtime/run/observation/loop-watch.ts';
import { threadActivity } from '../../../runtime/run/thread-activity.ts';
import { SkeinError } from '../../../state/errors.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { newRun } from '../../contracts/coordination.ts';
import { checkpoint } from '../../contracts/turn.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-pace-'));
const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
const log = pino({ level: 'silent' });
const loop = watchLoop(log);
afterAll(async () => {
  loop.stop();
  await state.close();
  rmSync(folder, { recursive: true });
});

const ANSWER: Executed = {
  result: {
    ...{ agentResponse: 'fine', outputs: [], followupQuestions: {}, memorySummary: '', model: 'm' },
    ...{ interrupts: [], stoppedAt: [] },
  },
  memory: { messages: 0, tokens: 0, summary: '' },
  values: null,
};

/** Returns a function that waits until it is released, and a promise that resolves when it is called. */
function gate() {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const wait = () => {
    reached.resolve();
    return open.promise;
  };
  return { wait, reached: reached.promise, open: open.resolve };
}

test('a run starts when it is let in, and its end is stored when it is let out', async () => {
  const [start, end] = [gate(), gate()];
  const run = newRun();
  let isExecuted = false;
  const active = new Map<string, ActiveRun>();
  const turns = runQueue({
    ...{ coordination: state.coordination, slots: slots(1), limits: { perThread: 1, queued: 1 }, log },
    takeOver: () => expect.unreachable(),
  });
  const startRun = runner({
    ...{ state, log, loop, turns, active },
    activity: threadActivity(),
    queueSeconds: 60,
    metrics: createMetrics(),
    recordedCalls: recordedCalls(),
    endElsewhere: () => expect.unreachable(),
    budgets: standingBudgets([], state.budgets),
    async execute({ claim }) {
      await checkpoint(state, claim.thread, run, 'fine');
      isExecuted = true;
      return ANSWER;
    },
    pace: () => (isExecuted ? end : start).wait(),
  });
  const { acceptance } = await turns.accept(run, 'enqueue');
  if (acceptance.outcome !== 'accepted' || !acceptance.claim) throw new Error('the run was not claimed');
  const { threadKey, lease, claim } = acceptance;
  // Only `execute` would use the workflow.
  const workflow = new SkeinError('WORKFLOW_CHANGED');
  const { ended } = startRun({ run, threadKey, lease, turn: claim, workflow });
  await Promise.race([start.reached, end.reached]);
  expect(isExecuted).toBe(false);
  start.open();
  await Promise.race([end.reached, ended]);
  expect(isExecuted).toBe(true);
  expect(await state.runs.find('ann', run.runId)).toMatchObject({ status: 'running' });
  end.open();
  expect(await ended).toMatchObject({ result: { agentResponse: 'fine' } });
  expect(await state.runs.find('ann', run.runId)).toMatchObject({ status: 'succeeded' });
});
