/** Tool calls and custom events of graphs, as lines for a person who watches a turn. */
import type { RunStreamEvent } from '../../../../client/run-events.ts';
import { shown } from '../../../terminal/style.ts';

type ToolEvent = Extract<RunStreamEvent, { event: 'tool' }>['data'];

const LONGEST_VALUE = 100;

/** Returns a call's line when the call has ended; its input is known from its start. */
export function toolLines(): (event: ToolEvent) => string | undefined {
  // Calls that no model asked for have no id: match calls of the same tool in the order they began.
  const inputs = new Map<string, unknown[]>();
  return function lineOf({ agent, tool, tool_call_id, state, input, output, error, duration_ms }) {
    const call = JSON.stringify([agent, tool, tool_call_id]);
    const begun = inputs.get(call) ?? [];
    if (state === 'started') {
      inputs.set(call, [...begun, input]);
      return undefined;
    }
    const text = shortText(begun.shift() ?? input);
    const result = state === 'failed' ? `: ${shortText(error ?? 'failed')}` : ` → ${shortText(output)}`;
    const took = duration_ms === undefined ? '' : ` (${(duration_ms / 1000).toFixed(1)} s)`;
    return shown(`  ${state === 'failed' ? '✗' : '✓'} ${tool} ${text}${result}${took}`);
  };
}

/** JSON, or plain text, on one line. */
export function shortText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE)}…` : line;
}
