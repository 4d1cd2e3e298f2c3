/** Reports the tool calls inside a graph: their input, result and duration. */
import type { GraphLocation, ToolCall } from '../../../state/threads/events.ts';
import { type Calling, type RunContext, workOf } from '../../authoring/run/run-context.ts';
import { asJson } from '../message-json.ts';

interface StartedTool {
  tool: string;
  /** Text or JSON, as in LangChain's callbacks. */
  input: string;
  toolCallId: string | undefined;
  location: GraphLocation;
}

export interface FollowedTools {
  start(runId: string, tool: StartedTool): void;
  end(runId: string, output: unknown): void;
  fail(runId: string, error: unknown): void;
}

export interface FollowTools {
  /** The agent that makes the calls; without it, they belong to their node. */
  by: Calling | undefined;
  /** Calls that are reported elsewhere. */
  skips(location: GraphLocation): boolean;
}

export function followTools(run: RunContext, { by, skips }: FollowTools): FollowedTools {
  const calls = new Map<string, StartedTool & { startedAt: number }>();

  const who = (location: GraphLocation) => (by ? workOf(by.agent, location) : {});

  function ended(runId: string, end: Pick<ToolCall, 'state' | 'output' | 'error'>): void {
    const call = calls.get(runId);
    if (!call) return;
    calls.delete(runId);
    run.spans?.toolEnded(runId, end);
    const { tool, toolCallId: tool_call_id = null, location, startedAt } = call;
    const duration_ms = Date.now() - startedAt;
    run.emit({
      ...location,
      kind: 'tool',
      body: { ...who(location), tool, tool_call_id, ...end, duration_ms },
    });
  }

  return {
    start(runId, started) {
      if (skips(started.location)) return;
      calls.set(runId, { ...started, startedAt: Date.now() });
      run.spans?.toolStarted(runId, started);
      const { tool, toolCallId: tool_call_id = null, location, input } = started;
      run.emit({
        ...location,
        kind: 'tool',
        body: { ...who(location), tool, tool_call_id, state: 'started', input: jsonOr(input) },
      });
    },
    end(runId, output) {
      const id = calls.get(runId)?.toolCallId;
      ended(runId, { state: 'finished', output: outputOf(output, id) });
    },
    fail(runId, error) {
      // An interrupt for a person or a handoff to another agent is not a failure.
      const isBubbling = (error as { is_bubble_up?: boolean } | undefined)?.is_bubble_up === true;
      if (isBubbling) {
        calls.delete(runId);
        run.spans?.toolEnded(runId, {});
      } else ended(runId, { state: 'failed', error: error instanceof Error ? error.message : String(error) });
    },
  };
}

function jsonOr(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

interface Answer {
  tool_call_id?: string;
}

/** The content of the tool's message. If the output is a command, the result is among its messages. */
function outputOf(output: unknown, toolCallId: string | undefined): unknown {
  const { lg_name, update } = (output ?? {}) as {
    lg_name?: unknown;
    update?: { messages?: Answer | Answer[] };
  };
  const messages = lg_name === 'Command' ? [update?.messages ?? []].flat() : [];
  const answer = messages.findLast(({ tool_call_id }) => tool_call_id === toolCallId);
  const json = asJson(answer ?? output) ?? null;
  const { type, content } = (json ?? {}) as { type?: unknown; content?: unknown };
  return (type === 'tool' || answer) && content !== undefined ? content : json;
}
