/** The turns that a dry run answers again, read from a real store. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { earlierTurns } from '../../../runtime/dry-runs/earlier-turns.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { storedTurn } from '../../contracts/turn.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-earlier-'));
const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 100 });
afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

let number = 0;

/** Stores a turn with the first checkpoint of its graph; returns its run. */
async function storeTurn(workflow: string, size: number): Promise<string> {
  const { run, thread } = await storedTurn(state, { workflow, prompt: 'x'.repeat(size) });
  await state.checkpointer.put(
    { configurable: { thread_id: thread.key, checkpoint_ns: '', run_id: run.runId } },
    {
      ...{ v: 4, id: `input-${number++}`, ts: '' },
      ...{ channel_values: {}, channel_versions: {}, versions_seen: {} },
    },
    { source: 'input', step: -1, parents: {} },
    {},
  );
  return run.runId;
}

test('the turns of several workflows are sorted newest first, and none is missing if prompts are large', async () => {
  const runIds: string[] = [];
  for (const size of [10, 20, 1_500_000, 1_500_000, 1_500_000, 30])
    for (const workflow of ['one', 'two']) runIds.push(await storeTurn(workflow, size));
  const find = earlierTurns({ archive: state.archive, runs: state.runs, checkpointer: state.checkpointer });
  const findTurns = async (limit: number) =>
    (await find({ owner: 'ann', workflows: ['one', 'two'], most: limit })).map(({ run }) =>
      runIds.indexOf(run.runId),
    );
  expect(await findTurns(20)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect(await findTurns(3)).toEqual([11, 10, 9]);
});
