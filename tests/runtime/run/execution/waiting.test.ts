/** What a thread shows of the interrupts of its graph. */
import { expect, test } from 'bun:test';
import { runProgress } from '../../../../runtime/journal/run-progress.ts';
import { interruptsOf } from '../../../../runtime/run/execution/waiting.ts';

test('an interrupt names the agent that raised it', () => {
  const journal = runProgress();
  const body = { state: 'interrupted' as const, duration_ms: 1, interrupts: ['i'] };
  journal.note({ kind: 'task_end', node: 'ask', taskId: '2', ns: ['sub:1'], body });
  const interrupts = [{ id: 'i', value: { sure: true } }];
  expect(interruptsOf({ journal, run: { runId: 'r' } }, { interrupts })).toEqual([
    { interruptId: 'i', value: { sure: true }, agent: 'ask', path: ['sub'] },
  ]);
});

test('an interrupt without an id, an agent and a value can be answered by the id of the run', () => {
  const execution = { journal: runProgress(), run: { runId: 'r' } };
  expect(interruptsOf(execution, { interrupts: [{ value: undefined }] })).toEqual([
    { interruptId: 'r', value: null, agent: '', path: [] },
  ]);
});
