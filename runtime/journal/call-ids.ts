/** Gives each tool call an id, even if the graph doesn't. */
import type { ToolCall } from '../../state/threads/events.ts';

export type CallIdOf = (call: Pick<ToolCall, 'tool' | 'tool_call_id' | 'state'>) => string;

export function callIds(): CallIdOf {
  let unnamed = 0;
  /** The generated ids of running calls, by tool. */
  const running = new Map<string, string[]>();
  return ({ tool, tool_call_id, state }) => {
    if (tool_call_id !== null) return tool_call_id;
    const ids = running.get(tool) ?? [];
    running.set(tool, ids);
    if (state === 'started') ids.push(`${tool}-${++unnamed}`);
    const id = state === 'started' ? ids.at(-1) : ids.shift();
    return id ?? `${tool}-${unnamed}`;
  };
}
