/** How a case of a dataset is retried after a rejection, and how it stops. */
import { expect, test } from 'bun:test';
import { type Asking, createAskCase } from '../../../runtime/datasets/ask-case.ts';
import { SkeinError } from '../../../state/errors.ts';

const rejected = () => Promise.reject(new Error('no turn starts'));
const ask = createAskCase({
  runtime: { turn: rejected, run: rejected },
  responseOf: () => ({ agent_response: '', outputs: [] }),
  askCall: rejected,
});
const CASE = { key: 'k', id: 'i', case: { prompt: 'Hello', expect: { exact: 'Hi' } } };
const THREAD = { threadId: 't', temporary: true };
const asking = (signal: AbortSignal, countTurn: Asking['countTurn']): Asking => ({
  ...{ owner: 'ann', workflow: 'w', requestId: 'r', traceparent: undefined, signal, countTurn },
});

test('a stop during a rejected attempt ends the case immediately, without waiting for the retry delay', async () => {
  const stopper = new AbortController();
  const rejectAndStop = async () => {
    stopper.abort(new SkeinError('SHUTTING_DOWN'));
    throw new SkeinError('RATE_LIMITED', { retryAfter: 60 });
  };
  await expect(ask(asking(stopper.signal, rejectAndStop), CASE, THREAD)).rejects.toThrow(
    new SkeinError('SHUTTING_DOWN').message,
  );
}, 5_000);

test('an error without a retry delay is retried after a second, and an unexpected error stops the dataset', async () => {
  let attempts = 0;
  const failOnce = async () => {
    if (attempts++ === 0) throw new SkeinError('OVERLOADED');
  };
  const { signal } = new AbortController();
  await expect(ask(asking(signal, failOnce), CASE, THREAD)).rejects.toThrow('no turn starts');
  expect(attempts).toBe(2);
});
