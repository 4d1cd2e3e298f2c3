/** The rows of a run's waterfall. */
import { expect, test } from 'bun:test';
import { type AgentView, agentsOfRun } from '../../studio/data/runs/run-view.ts';
import type { Run } from '../../studio/data/runs/runs.ts';
import { turnRows } from '../../studio/runs/waterfall-rows.ts';

const BEGAN = Date.parse('2026-11-22T12:00:00.000Z');
const at = (milliseconds: number) => new Date(BEGAN + milliseconds).toISOString();

const RUN = { created_at: at(0), started_at: at(0), finished_at: at(90) } as Run;

function agents(
  ...work: [name: string, execution: number, start: number, took: number | null][]
): AgentView[] {
  const entries = work.map(([name, execution, start, duration_ms]) => {
    const path = name.split(':');
    return {
      ...{ agent: path.pop() ?? '', path, execution, started_at: at(start), duration_ms },
      ...{ task_id: `${name} ${execution}` },
      ...(path.length > 0 && { parent_task_id: `${path.join(':')} ${execution}` }),
      state: duration_ms === null ? ('started' as const) : ('finished' as const),
      ...{ usage: { input_tokens: 0, output_tokens: 0 }, prompts: [], calls: [], steps: [], tools: [] },
    };
  });
  return agentsOfRun({ ...RUN, agents: entries });
}

test('the children of a node that runs twice are listed below the execution that they belong to', () => {
  const worked = agents(
    ['s', 1, 0, 10],
    ['s:x', 1, 2, 3],
    ['y', 1, 12, 3],
    ['s', 2, 20, 10],
    ['s:x', 2, 22, 3],
  );
  expect(
    turnRows([{ run: RUN, agents: worked }], false).map(({ label, number, depth }) => [label, number, depth]),
  ).toEqual([
    ...[
      ['s', 1, 1],
      ['x', 1, 2],
      ['y', undefined, 1],
      ['s', 2, 1],
      ['x', 2, 2],
    ],
  ]);
});

test('a node that waits for a person lasts until the end of the run, and no longer', () => {
  const rows = turnRows([{ run: RUN, agents: agents(['ask', 1, 30, null]) }], true);
  expect(rows).toMatchObject([{ label: 'ask', state: 'wait', start: BEGAN + 30, end: BEGAN + 90 }]);
});
