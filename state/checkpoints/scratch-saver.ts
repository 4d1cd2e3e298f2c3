/** A checkpointer in memory, for executions that are not stored. */
import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { decode, encode } from './serializer.ts';

/** Uses the service's serializer, because LangGraph's would revive `{lc: 1, ...}` from user data. */
export function scratchSaver(): MemorySaver {
  return new MemorySaver({
    dumpsTyped: async (value) => ['json', Buffer.from(encode(value))],
    loadsTyped: async (_type, data) =>
      decode(typeof data === 'string' ? data : new TextDecoder().decode(data)),
  });
}
