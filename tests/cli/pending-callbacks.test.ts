/** A stop waits for the callbacks of graphs that LangChain runs in the background, for a limited time. */
import { expect, test } from 'bun:test';
import { consumeCallback } from '@langchain/core/callbacks/promises';
import { pendingCallbacks } from '../../cli/service/process/pending-callbacks.ts';

test('the wait ends with the callbacks', async () => {
  let handled = 0;
  for (let n = 0; n < 3; n++)
    consumeCallback(async () => {
      await Bun.sleep(5);
      handled++;
    }, false);
  await pendingCallbacks(60_000);
  expect(handled).toBe(3);
});

test('the wait ends after the time limit', async () => {
  const slow = Promise.withResolvers<void>();
  consumeCallback(() => slow.promise, false);
  await pendingCallbacks(10);
  slow.resolve();
  await pendingCallbacks(60_000);
});
