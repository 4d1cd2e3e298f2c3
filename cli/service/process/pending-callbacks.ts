/** Waits for LangChain's background work after a turn: runs sent to LangSmith, and callbacks of graphs. */
import { awaitAllCallbacks, consumeCallback } from '@langchain/core/callbacks/promises';
import { isTracingOn } from '../../../runtime/run/execution/deferred-run-tree.ts';

/** An upper limit: the other side may be unreachable. */
export async function pendingCallbacks(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  // Awaiting all of them would create a LangSmith client if none exists.
  if (isTracingOn()) awaitAllCallbacks().then(resolve, resolve);
  else consumeCallback(async () => resolve(), false);
  await promise;
  clearTimeout(timer);
}
