/** Figures of many runs: pages, the period, and the limit. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FiguresQuery, readFigures } from '../../../runtime/figures/read-figures.ts';
import { figureSums } from '../../../runtime/figures/run-figures.ts';
import type { OpenedState } from '../../../state/opened-state.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import type { Archive } from '../../../state/threads/archive.ts';
import { storedTurn } from '../../contracts/turn.ts';

const HOUR_MS = 3_600_000;
const COPY_RUN = `
  WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
  INSERT INTO runs (run_id, thread, owner, message_id, workflow, status, request, created_at, started_at, finished_at, agents)
  SELECT substr(r.run_id, 1, 24) || 'ffffffff' || printf('%04d', n), r.thread, r.owner, 'm' || n, r.workflow, r.status, r.request, r.created_at, r.started_at, r.finished_at, r.agents
  FROM numbers CROSS JOIN (SELECT * FROM runs ORDER BY run_id DESC LIMIT 1) AS r`;

let folder: string;
let state: OpenedState;
const open = () => openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-figures-'));
  state = open();
});
afterEach(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

const runIdAt = (milliseconds: number) => Bun.randomUUIDv7('hex', milliseconds);
const figures = (period: Pick<FiguresQuery, 'from' | 'until'>) =>
  readFigures(state.archive, { filter: { owner: 'ann', workflow: undefined }, by: 'workflow', ...period });

test('runs before and after the period are left out, and cancelled runs are counted', async () => {
  for (let hour = 1; hour <= 4; hour++)
    await storedTurn(state, {
      ...{ threadId: `t${hour}`, at: hour * HOUR_MS, runId: runIdAt(hour * HOUR_MS) },
      ...(hour === 2 && { ends: 'cancelled' as const }),
    });
  const { all, isComplete, spans } = await figures({ from: 2 * HOUR_MS, until: 4 * HOUR_MS });
  expect(isComplete).toBe(true);
  expect(all).toMatchObject({ runs: 2, cancelled: 1 });
  expect(spans.map(({ start, figures }) => [start / HOUR_MS, figures.runs])).toEqual([
    [2, 1],
    [3, 1],
  ]);
});

test('reads no runs that were accepted after the period', async () => {
  for (let hour = 1; hour <= 4; hour++)
    await storedTurn(state, {
      ...{ threadId: `t${hour}`, at: hour * HOUR_MS, runId: runIdAt(hour * HOUR_MS) },
    });
  const read: number[] = [];
  const archive: Pick<Archive, 'runs'> = {
    async runs(filter, page) {
      const found = await state.archive.runs(filter, page);
      read.push(...found.items.map(({ createdAt }) => createdAt / HOUR_MS));
      return found;
    },
  };
  const period = { from: HOUR_MS, until: 3 * HOUR_MS };
  await readFigures(archive, { filter: { owner: 'ann', workflow: undefined }, by: 'workflow', ...period });
  expect(read).toEqual([2, 1]);
});

test('at most the newest 5,000 runs are counted', async () => {
  await storedTurn(state, { at: HOUR_MS, runId: runIdAt(HOUR_MS) });
  await state.close();
  const db = new Database(join(folder, 'state.db'));
  db.run(COPY_RUN);
  db.close();
  state = open();
  const { all, isComplete } = await figures({ from: 0, until: 2 * HOUR_MS });
  expect({ runs: all.runs, isComplete }).toEqual({ runs: 5_000, isComplete: false });
});

test('a run that was cancelled before its start has no times', () => {
  const sums = figureSums();
  const usage = { inputTokens: 0, outputTokens: 0 };
  sums.add({ status: 'cancelled', createdAt: 1, startedAt: null, finishedAt: 2, usage, agents: [] });
  expect(sums.figures()).toMatchObject({ runs: 1, cancelled: 1, duration: null, firstToken: null });
});
