/** Waits for what LangChain does after a turn: it hands runs to LangSmith, and to callbacks of graphs, in the background. */
import { awaitAllCallbacks, consumeCallback } from '@langchain/core/callbacks/promises';
import { isTracingOn } from '../../runtime/run/execution/deferred-run-tree.ts';

/** For at most so long: the other side may be away. */
export async function pendingCallbacks(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  // Awaiting all of them makes a client of LangSmith where there is none.
  if (isTracingOn()) awaitAllCallbacks().then(resolve, resolve);
  else consumeCallback(async () => resolve(), false);
  await promise;
  clearTimeout(timer);
}
