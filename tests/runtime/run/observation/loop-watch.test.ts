/** Which nodes the log names when the event loop was blocked, if several are executing. */
import { expect, test } from 'bun:test';
import pino from 'pino';
import { watchLoop } from '../../../../runtime/run/observation/loop-watch.ts';
import type { NewEntry } from '../../../../state/threads/events.ts';

test('the executing nodes are named without those that wait for their subgraph, and none after their end', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const watch = watchLoop(log);
  const taskStart = (node: string, taskId: string, ns?: string[]): NewEntry => ({
    ...{ kind: 'task', node, taskId, body: {} },
    ...(ns && { ns }),
  });
  const runs = ['r1', 'r2'].map((runId) => ({ runId, workflow: 'w' }));
  const [first = { runId: '', workflow: '' }, second = first] = runs;
  watch.note(first, taskStart('outer', '1'));
  watch.note(first, taskStart('inner', '2', ['outer:1']));
  watch.note(second, taskStart('other', '3'));
  watch.note(second, { kind: 'status', body: { text: 'no task' } });
  watch.note(second, { kind: 'status', node: 'other', taskId: '3', body: { text: 'a task' } });
  Bun.sleepSync(1_200);
  await new Promise((resolve) => setTimeout(resolve, 200));
  watch.forget('r1');
  watch.forget('r2');
  Bun.sleepSync(1_200);
  await new Promise((resolve) => setTimeout(resolve, 200));
  watch.stop();
  expect(lines).toMatchObject([
    {
      ...{ msg: 'one of the executing nodes has blocked the event loop', count: 2 },
      nodes: [
        { workflow: 'w', node: 'inner', run_id: 'r1' },
        { workflow: 'w', node: 'other', run_id: 'r2' },
      ],
    },
  ]);
});
