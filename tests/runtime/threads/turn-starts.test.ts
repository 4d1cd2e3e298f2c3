/** Where turns of a thread began, and with which checkpoint a run ended, in long threads and runs. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storedEnds } from '../../../runtime/run/ending/ended-run.ts';
import { lastCheckpoint } from '../../../runtime/run/ending/last-checkpoint.ts';
import { findForkPoint } from '../../../runtime/threads/fork-point.ts';
import { startAfter } from '../../../runtime/threads/turn-starts.ts';
import type { Registry } from '../../../runtime/workflows/registry.ts';
import type { OpenedState } from '../../../state/opened-state.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { checkpoint, type StoredTurn, storedTurn } from '../../contracts/turn.ts';

let folder: string;
let state: OpenedState;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-starts-'));
  state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 100 });
});
afterEach(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

let inputs = 0;

/** Stores the checkpoint of a turn's input; returns its id. */
async function input({ run, thread }: StoredTurn, namespace = '', parents = {}): Promise<string> {
  const id = `0-${String(inputs++).padStart(8, '0')}`;
  await state.checkpointer.put(
    { configurable: { thread_id: thread.key, checkpoint_ns: namespace, run_id: run.runId } },
    { v: 4, id, ts: '', channel_values: {}, channel_versions: {}, versions_seen: {} },
    { source: 'input', step: -1, parents },
    {},
  );
  return id;
}

const after = ({ thread: { owner, key } }: StoredTurn, ...messageIds: string[]) =>
  startAfter(state.archive, { owner, key }, new Set(messageIds));

test('a turn far back in a thread is found, and none after the last message', async () => {
  const first = await storedTurn(state);
  const inputId = await input(first);
  let last = first;
  for (let turn = 0; turn < 60; turn++) last = await storedTurn(state, turn === 30 ? { ends: 'failed' } : {});
  const second = await storedTurn(state);
  const secondInputId = await input(second);
  expect(await after(last)).toBe(inputId);
  expect(await after(last, last.run.messageId)).toBe(secondInputId);
  expect(await after(last, second.run.messageId)).toBeUndefined();
});

test('the input of a turn with many checkpoints is found, and a deleted one is an error', async () => {
  const turn = await storedTurn(state);
  await expect(after(turn)).rejects.toMatchObject({
    code: 'CHECKPOINT_NOT_FOUND',
    detail: 'The checkpoint from which the turn started is no longer kept',
  });
  const inputId = await input(turn);
  for (let step = 0; step < 120; step++) await checkpoint(state, turn.thread, turn.run, 'x', `agent:${step}`);
  expect(await after(turn)).toBe(inputId);
});

test('a run without checkpoints ended with the checkpoint of the run that it resumed', async () => {
  const interrupted = await storedTurn(state);
  await checkpoint(state, interrupted.thread, interrupted.run, 'x', 'agent:1');
  const resumingRun = async (runId: string) => {
    const next = await storedTurn(state, { threadId: 'other' });
    const run = await state.runs.find('ann', next.run.runId);
    if (!run) throw new Error('no run');
    const resume = { runId, values: {}, used: { inputTokens: 0, outputTokens: 0 } };
    return { ...run, threadKey: interrupted.thread.key, request: { ...run.request, resume } };
  };
  const parts = { archive: state.archive, runs: state.runs };
  expect(await lastCheckpoint(parts, await resumingRun(interrupted.run.runId))).toBe(interrupted.head);
  expect(await lastCheckpoint(parts, await resumingRun('none'))).toBeUndefined();
  const { request, ...run } = await resumingRun('none');
  expect(await lastCheckpoint(parts, { ...run, request: { ...request, resume: undefined } })).toBeUndefined();
});

test('the end of a run is read from the state; a run without an end is rejected', async () => {
  const { run } = await storedTurn(state);
  const failed = await storedTurn(state, { threadId: 'failed', ends: 'failed' });
  const running = await storedTurn(state, { threadId: 'running', ends: 'accepted' });
  const registry = { find: () => undefined } as unknown as Registry;
  const end = storedEnds({ state, archive: state.archive, registry });
  expect(await end('ann', run.runId)).toMatchObject({ runId: run.runId, values: null });
  await expect(end('bob', run.runId)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  await expect(end('ann', failed.run.runId)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  await expect(end('ann', running.run.runId)).rejects.toMatchObject({
    detail: `Run ${running.run.runId} has ended without a result`,
  });
});

test('a fork starts from a checkpoint of a subgraph only if its root checkpoint is known', async () => {
  const turn = await storedTurn(state);
  const parts = { archive: state.archive, checkpointer: state.checkpointer };
  const forkPointAt = (id: string) => findForkPoint(parts, turn.thread.key, id);
  const withoutParent = await input(turn, 'agent:1');
  const orphan = await input(turn, 'agent:2', { '': 'deleted' });
  const inner = await input(turn, 'agent:3', { '': turn.head });
  const innermost = await input(turn, 'agent:3|step:4', { '': turn.head, 'agent:3': inner });
  expect(await Promise.all([withoutParent, orphan, 'none'].map(forkPointAt))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect((await forkPointAt(turn.head))?.inside).toEqual([]);
  expect(await forkPointAt(innermost)).toMatchObject({
    root: { checkpointId: turn.head },
    inside: [
      { namespace: 'agent:3', checkpointId: inner },
      { namespace: 'agent:3|step:4', checkpointId: innermost },
    ],
  });
});
