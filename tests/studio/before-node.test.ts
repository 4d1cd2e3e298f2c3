/** The checkpoint from which a node ran: for each execution, in parallel nodes and in subgraphs. */
import { expect, test } from 'bun:test';
import type { AgentView } from '../../studio/data/runs/run-view.ts';
import type { CheckpointEntry } from '../../studio/data/threads/checkpoints.ts';
import { beforeNode } from '../../studio/run-again/before-node.ts';

const at = (second: number, next: string[], within: string | null = null) =>
  ({
    checkpoint_id: `c${second}`,
    next,
    within,
    created_at: new Date(second * 1000).toISOString(),
  }) as CheckpointEntry;
const ran = (agent: string, second: number, more: Partial<AgentView> = {}) =>
  ({ agent, path: [], execution: 1, startedAt: second * 1000, ...more }) as AgentView;
const found = (...of: Parameters<typeof beforeNode>) => beforeNode(...of)?.checkpoint_id;

/** Newest first. */
const TURN = [
  at(7, []),
  at(5, ['draft']),
  at(4, ['style'], 'check'),
  at(3, ['facts'], 'check'),
  at(2, ['check']),
  at(1, ['draft']),
];

test('each execution of a node in a loop has its own checkpoint', () => {
  const times = [1, 2].map((execution) =>
    found(TURN, { agent: ran('draft', 9, { execution }), step: undefined, times: 2 }),
  );
  expect(times).toEqual(['c1', 'c5']);
});

test('nodes that ran in parallel share the last checkpoint before they started', () => {
  const work = [at(5, ['work']), at(4, ['join']), at(1, ['work'])];
  for (const execution of [1, 2, 3])
    expect(found(work, { agent: ran('work', 2, { execution }), step: undefined, times: 3 })).toBe('c1');
});

test('a node of a subgraph has a checkpoint of that subgraph, and so does a step of an agent', () => {
  const style = ran('style', 4, { path: ['check'] });
  expect(found(TURN, { agent: style, step: undefined, times: 1 })).toBe('c4');
  expect(found(TURN, { agent: ran('check', 2), step: 'facts', times: 1 })).toBe('c3');
});

test('without stored checkpoints, there is no checkpoint before a node', () => {
  expect(found([at(7, [])], { agent: ran('draft', 1), step: undefined, times: 1 })).toBeUndefined();
});
