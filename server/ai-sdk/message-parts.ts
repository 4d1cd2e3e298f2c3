/** Converts a run's log to the parts of a message: text, reasoning, tool calls, custom data and status. */
import type { UIMessageChunk } from 'ai';
import type { AnswerText } from '../../runtime/journal/answer-text.ts';
import { callIds } from '../../runtime/journal/call-ids.ts';
import type { LogEntry, ToolCall } from '../../state/threads/events.ts';

export interface MessageParts {
  /** Returns the chunks that an entry adds to the message. */
  of(entry: LogEntry): UIMessageChunk[];
  /** Returns the part of the answer that hasn't been streamed. `waits`: the turn was interrupted. */
  rest(answer: string, waits: boolean): UIMessageChunk[];
  /** Ends the open parts. */
  close(): UIMessageChunk[];
}

type ReasoningEntry = Extract<LogEntry, { kind: 'reasoning' }>;

export function messageParts(answer: AnswerText): MessageParts {
  const tools = toolParts();
  let parts = 0;
  /** The id of the open text part. */
  let text: string | undefined;
  /** The ids of the open reasoning parts, by task and message. */
  const reasoning = new Map<string, string>();

  function addText(delta: string): UIMessageChunk[] {
    if (delta === '') return [];
    if (text !== undefined) return [{ type: 'text-delta', id: text, delta }];
    const before = close();
    const id = `part-${++parts}`;
    text = id;
    return [...before, { type: 'text-start', id }, { type: 'text-delta', id, delta }];
  }

  function addReasoning({
    taskId = '',
    body: { id: message = '', delta },
  }: ReasoningEntry): UIMessageChunk[] {
    const key = `${taskId} ${message}`;
    const openId = reasoning.get(key);
    if (openId !== undefined) return [{ type: 'reasoning-delta', id: openId, delta }];
    const before = text === undefined ? [] : close();
    const id = `part-${++parts}`;
    reasoning.set(key, id);
    return [...before, { type: 'reasoning-start', id }, { type: 'reasoning-delta', id, delta }];
  }

  function close(): UIMessageChunk[] {
    const ends: UIMessageChunk[] = Array.from(reasoning.values(), (id) => ({ type: 'reasoning-end', id }));
    if (text !== undefined) ends.push({ type: 'text-end', id: text });
    reasoning.clear();
    text = undefined;
    return ends;
  }

  /** The chunks of entries that aren't text of the answer. */
  function otherChunks(entry: LogEntry): UIMessageChunk[] {
    switch (entry.kind) {
      case 'reasoning':
        return addReasoning(entry);
      case 'tool':
        return [...close(), ...tools(entry.body)];
      case 'custom':
        return [...close(), dataPart(entry.body.data)];
      case 'status': {
        const { agent = entry.node, text } = entry.body;
        return [{ type: 'data-status', data: { agent, text }, transient: true }];
      }
      default:
        return [];
    }
  }

  return {
    of: (entry) => [...addText(answer.add(entry)), ...otherChunks(entry)],
    rest: (whole, waits) => addText(answer.restOfMessage(whole, waits)),
    close,
  };
}

/** Data in the form `{type: 'data-weather', id?, data, transient?}` becomes a part of that type, other data `data-custom`. */
function dataPart(data: unknown): UIMessageChunk {
  const { type, id, data: value, transient } = (data ?? {}) as Record<string, unknown>;
  if (typeof type !== 'string' || !type.startsWith('data-'))
    return { type: 'data-custom', data: data ?? null };
  return {
    type: type as `data-${string}`,
    data: value ?? null,
    ...(typeof id === 'string' && { id }),
    ...(transient === true && { transient }),
  };
}

/** Tells the client not to execute the tool calls, because the graph executes them. */
const EXECUTED_BY_GRAPH = { providerExecuted: true, dynamic: true };

function toolParts() {
  const idOf = callIds();
  return (call: ToolCall): UIMessageChunk[] => {
    const { tool: toolName, state, input = null, output = null, error = '' } = call;
    const toolCallId = idOf(call);
    if (state === 'started')
      return [{ type: 'tool-input-available', toolCallId, toolName, input, ...EXECUTED_BY_GRAPH }];
    if (state === 'failed')
      return [{ type: 'tool-output-error', toolCallId, errorText: error, ...EXECUTED_BY_GRAPH }];
    return [{ type: 'tool-output-available', toolCallId, output, ...EXECUTED_BY_GRAPH }];
  };
}
