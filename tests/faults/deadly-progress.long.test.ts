/** Runs that repeatedly end their process: those that make progress continue, however often. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { deadlyRuns } from './deadly-runs.ts';

// It starts many services, on a machine that may be busy.
setDefaultTimeout(300_000);

const { project, askDeadly, startUntilAlive } = deadlyRuns();

test.each([
  ['agents', 'stubborn', ['one', 'two', 'three']],
  ['steps of an agent', 'stepwise', ['worker']],
])(
  'a run whose %s end the process twice each makes progress, and is answered',
  async (_, workflow, agents) => {
    const folder = await project(workflow);
    const received = await askDeadly(folder, 'Die twice.', workflow);
    const { deaths, events } = await startUntilAlive(folder, received[0]?.data.run_id);
    expect(deaths).toBe(5);
    expect(events.at(-2)?.event).toBe('response');
    const { outputs } = events.at(-2)?.data ?? {};
    expect(outputs).toMatchObject(agents.map((agent) => ({ agent })));
  },
);

test('a step of an agent that always ends the process counts as one place', async () => {
  const folder = await project('one-step');
  const received = await askDeadly(folder, 'Die always.', 'stepwise');
  const { deaths, events } = await startUntilAlive(folder, received[0]?.data.run_id);
  expect(deaths).toBe(2);
  expect(events.at(-2)).toMatchObject({ event: 'error', data: { error_code: 'RUN_CRASHED' } });
});
