/** Records LangChain's `streamEvents` of a graph's run in its log. */
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { CallbackManager } from '@langchain/core/callbacks/manager';
import { RunnableLambda } from '@langchain/core/runnables';
import type { NewEntry } from '../../../state/threads/events.ts';
import { wireJson } from '../wire-message.ts';

// Chunks of a graph's stream are recorded in their own modes.
const PIECES = 'on_chain_stream';

/** Runs `work`, which must call the graph with the callbacks that it gets: `own`, and those that record the events. */
export async function recordingEvents<T>(
  emit: (entry: NewEntry) => void,
  own: BaseCallbackHandler[],
  work: (callbacks: CallbackManager) => Promise<T>,
): Promise<T> {
  const done = Promise.withResolvers<T>();
  done.promise.catch(() => {});
  // Only a runnable has `streamEvents`. The events of this runnable itself are dropped.
  const around = RunnableLambda.from(async (_, { callbacks }) => {
    await work((callbacks as CallbackManager).copy(own)).then(done.resolve, done.reject);
    return null;
  });
  const runId = Bun.randomUUIDv7();
  for await (const event of around.streamEvents(null, { version: 'v2', runId })) {
    if (event.run_id === runId || event.event === PIECES || event.tags?.includes('langsmith:hidden'))
      continue;
    emit({ kind: 'stream', body: { mode: 'events', data: wireJson(withoutInternals(event)) } });
  }
  return done.promise;
}

/** Removes metadata that LangGraph and this service pass down internally. */
function withoutInternals<Event extends { metadata: Record<string, unknown> }>(event: Event): Event {
  const metadata = Object.entries(event.metadata).filter(([name]) => !name.startsWith('__'));
  return { ...event, metadata: Object.fromEntries(metadata) };
}
