/** Waiting for runs of other processes: hints, ends, errors of the database, and a stop. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAT } from '../../../../runtime/journal/chat-events.ts';
import { endOnly, eventsGone } from '../../../../runtime/run/following/follow.ts';
import { namingRun, remoteRuns } from '../../../../runtime/run/following/remote-runs.ts';
import { SkeinError } from '../../../../state/errors.ts';
import type { OpenedState } from '../../../../state/opened-state.ts';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import { failedEnd, storedTurn } from '../../../contracts/turn.ts';

let folder: string;
let state: OpenedState;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-remote-'));
  state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
});
afterEach(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

const deletedLog = (_: string, runId: string) => Promise.reject(eventsGone(runId));

test('a hint about the run wakes all its watchers, even if it arrives before they wait', async () => {
  const runs = remoteRuns(state, deletedLog);
  const [first, second] = [runs.watch('r'), runs.watch('r')];
  runs.onHint({ kind: 'progress', runId: 'another' });
  runs.onHint({ kind: 'ready' });
  runs.onHint({ kind: 'progress', runId: 'r' });
  await Promise.all([first.changed(), second.changed()]);
  first.unwatch();
  runs.onHint({ kind: 'progress', runId: 'r' });
  await second.changed();
  second.unwatch();
});

test('waitForEnd waits at most for the given time, and ended settles when the run has ended', async () => {
  const turn = await storedTurn(state, { ends: 'accepted' });
  const runs = remoteRuns(state, () => Promise.reject(new SkeinError('INTERNAL_ERROR')));
  await runs.waitForEnd(turn.run.runId, 20);
  // It may reject before the end is awaited.
  const ended = runs.ended('ann', turn.run.runId).catch((error: unknown) => error);
  await state.coordination.end(turn.lease, failedEnd(turn), false);
  expect(await ended).toMatchObject({ code: 'INTERNAL_ERROR' });
});

test('a run that is deleted while its end is awaited was cancelled; one that is already gone is not found', async () => {
  const turn = await storedTurn(state, { ends: 'accepted' });
  const runs = remoteRuns(state, () => Promise.reject(new SkeinError('RUN_NOT_FOUND')));
  const errorOfEnd = () => runs.ended('ann', turn.run.runId).catch((error: unknown) => error);
  const ended = errorOfEnd();
  await state.coordination.end(turn.lease, failedEnd(turn), false);
  await state.archive.removal.thread(turn.thread.key);
  expect(await ended).toMatchObject({ code: 'RUN_CANCELLED' });
  expect(await errorOfEnd()).toMatchObject({ code: 'RUN_NOT_FOUND' });
});

test('closing rejects all waiting calls with the id of the run', async () => {
  const { run } = await storedTurn(state, { ends: 'accepted' });
  const runs = remoteRuns(state, deletedLog);
  const ended = runs.ended('ann', run.runId);
  runs.close();
  const stopped = { code: 'SHUTTING_DOWN', detail: `Run ${run.runId} continues` };
  await expect(ended).rejects.toMatchObject(stopped);
  await expect(runs.watch(run.runId).changed()).rejects.toMatchObject(stopped);
});

test('an error of the database names the run, and has its own retry delay or one second', () => {
  const detail = 'Run r was accepted and continues';
  for (const [retryAfter, expected] of [
    [undefined, 1],
    [7, 7],
  ] as const)
    expect(namingRun(new SkeinError('STATE_UNAVAILABLE', { retryAfter }), 'r')).toMatchObject({
      ...{ code: 'STATE_UNAVAILABLE', detail, retryAfter: expected },
    });
  const other = new Error('another');
  expect(namingRun(other, 'r')).toBe(other);
});

test('a run whose log was deleted has its first and last events', async () => {
  for (const [ends, last] of [
    [undefined, 'response'],
    ['failed', 'error'],
  ] as const) {
    const { run } = await storedTurn(state, { ...(ends && { ends }), threadId: last });
    const stored = await state.runs.find('ann', run.runId);
    if (!stored) throw new Error('no run');
    const [batch] = await Array.fromAsync(endOnly(stored, CHAT));
    expect(batch?.events.map(({ event }) => event)).toEqual(['run', last, 'end'] as never);
  }
});
