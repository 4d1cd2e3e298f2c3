/** How a case of a dataset waits for limits, and stops. */
import { expect, test } from 'bun:test';
import { type Asking, createAskCase } from '../../../runtime/datasets/ask-case.ts';
import { SkeinError } from '../../../state/errors.ts';

const unused = () => Promise.reject(new Error('no turn begins'));
const ask = createAskCase({
  runtime: { turn: unused, run: unused },
  responseOf: () => ({ agent_response: '', outputs: [] }),
  askCall: unused,
});
const CASE = { key: 'k', id: 'i', case: { prompt: 'Hello', expect: { exact: 'Hi' } } };
const THREAD = { threadId: 't', temporary: true };
const asking = (signal: AbortSignal, countTurn: Asking['countTurn']): Asking => ({
  ...{ owner: 'ann', workflow: 'w', requestId: 'r', traceparent: undefined, signal, countTurn },
});

test('a stop during a rejected attempt ends the case immediately, without the delay of the rejection', async () => {
  const stopper = new AbortController();
  const limited = async () => {
    stopper.abort(new SkeinError('SHUTTING_DOWN'));
    throw new SkeinError('RATE_LIMITED', { retryAfter: 60 });
  };
  await expect(ask(asking(stopper.signal, limited), CASE, THREAD)).rejects.toThrow(
    new SkeinError('SHUTTING_DOWN').message,
  );
}, 5_000);

test('an error without a delay is retried after a second, and an unexpected one stops the dataset', async () => {
  let tries = 0;
  const once = async () => {
    if (tries++ === 0) throw new SkeinError('OVERLOADED');
  };
  const { signal } = new AbortController();
  await expect(ask(asking(signal, once), CASE, THREAD)).rejects.toThrow('no turn begins');
  expect(tries).toBe(2);
});
