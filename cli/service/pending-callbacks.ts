/** Waits for what LangChain does after a turn: it hands runs to LangSmith, and to callbacks of graphs, in the background. */
import { awaitAllCallbacks } from '@langchain/core/callbacks/promises';

/** For at most so long: the other side may be away. */
export async function pendingCallbacks(milliseconds: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, milliseconds);
  await Promise.race([awaitAllCallbacks(), late.promise]);
  clearTimeout(timer);
}
