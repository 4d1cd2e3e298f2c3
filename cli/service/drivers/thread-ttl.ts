/** The time to live that langgraph.json sets for threads of LangGraph's protocol. */
import type { LangGraphJson } from '../../../graphs/discovery/langgraph-json.ts';
import type { ThreadTtl } from '../../../state/threads/threads.ts';

export function threadTtlOf(json: LangGraphJson | undefined): ThreadTtl | undefined {
  const { default_ttl: minutes, strategy = 'delete' } = json?.checkpointer?.ttl ?? {};
  return minutes === undefined ? undefined : { minutes, strategy };
}
