/** A stop waits for the callbacks of graphs that LangChain runs in the background, but not for ever. */
import { expect, test } from 'bun:test';
import { consumeCallback } from '@langchain/core/callbacks/promises';
import { pendingCallbacks } from '../../cli/service/process/pending-callbacks.ts';

test('it is over when the callbacks are', async () => {
  let heard = 0;
  for (let n = 0; n < 3; n++)
    consumeCallback(async () => {
      await Bun.sleep(5);
      heard++;
    }, false);
  await pendingCallbacks(60_000);
  expect(heard).toBe(3);
});

test('it does not wait for longer than it may', async () => {
  const slow = Promise.withResolvers<void>();
  consumeCallback(() => slow.promise, false);
  await pendingCallbacks(10);
  slow.resolve();
  await pendingCallbacks(60_000);
});
