/** A run that ends its process at every start finally fails, and the service stays up. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { listen } from '../support/listener.ts';
import { chat, deadlyRuns, streamed } from './deadly-runs.ts';

// It starts many services, on a machine that may be busy.
setDefaultTimeout(300_000);

const { provider, project, askDeadly, startUntilAlive } = deadlyRuns();

test('a run that kills its process three times in a row is failed at the next start, and the service stays up', async () => {
  const folder = await project('deadly');
  const heard = await askDeadly(folder, 'Die.', 'deadly');
  const { run_id } = heard[0]?.data ?? {};
  const { url, deaths } = await startUntilAlive(folder, run_id);
  expect(deaths).toBe(2);
  const events = [...heard, ...(await streamed(url, run_id, heard.at(-1)?.id))];
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  const message =
    'The process crashed three times in a row without progress on this run, so it is not retried';
  expect(events.slice(-2)).toMatchObject([
    { event: 'error', data: { error_code: 'RUN_CRASHED', message } },
    { event: 'end' },
  ]);
  const run = await fetch(`${url}/api/v1/runs/${run_id}`);
  expect(await run.json()).toMatchObject({ status: 'failed', error: { error_code: 'RUN_CRASHED' } });
  const next = await chat(url, 'Live.', 'deadly');
  expect((await listen(next)).at(-2)).toMatchObject({ event: 'response' });
  // The thread's memory has none of the earlier questions.
  expect(provider.requests.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
    ['You are deadly', 'Live.'],
  ]);
});
