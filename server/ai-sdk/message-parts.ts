/** A run's log as the parts of a message: its answer as text, what its models think, its tool calls, and what its nodes send besides. */
import type { UIMessageChunk } from 'ai';
import type { AnswerText } from '../../runtime/journal/answer-text.ts';
import { callIds } from '../../runtime/journal/call-ids.ts';
import type { LogEntry, ToolCall } from '../../state/events.ts';

export interface MessageParts {
  /** What an entry adds to the message. */
  of(entry: LogEntry): UIMessageChunk[];
  /** What is left of the answer when the run has ended. */
  rest(answer: string): UIMessageChunk[];
  /** Ends what is open. */
  close(): UIMessageChunk[];
}

type Thought = Extract<LogEntry, { kind: 'reasoning' }>;

export function messageParts(answer: AnswerText): MessageParts {
  const tools = toolParts();
  let parts = 0;
  /** The ids of the parts that are open: that of a text, or those in which models think, by the message. */
  let text: string | undefined;
  const thoughts = new Map<string, string>();

  function said(delta: string): UIMessageChunk[] {
    if (delta === '') return [];
    if (text !== undefined) return [{ type: 'text-delta', id: text, delta }];
    const before = close();
    const id = `part-${++parts}`;
    text = id;
    return [...before, { type: 'text-start', id }, { type: 'text-delta', id, delta }];
  }

  function thought({ taskId = '', body: { id: message = '', delta } }: Thought): UIMessageChunk[] {
    const key = `${taskId} ${message}`;
    const known = thoughts.get(key);
    if (known !== undefined) return [{ type: 'reasoning-delta', id: known, delta }];
    const before = text === undefined ? [] : close();
    const id = `part-${++parts}`;
    thoughts.set(key, id);
    return [...before, { type: 'reasoning-start', id }, { type: 'reasoning-delta', id, delta }];
  }

  function close(): UIMessageChunk[] {
    const ends: UIMessageChunk[] = Array.from(thoughts.values(), (id) => ({ type: 'reasoning-end', id }));
    if (text !== undefined) ends.push({ type: 'text-end', id: text });
    thoughts.clear();
    text = undefined;
    return ends;
  }

  function beside(entry: LogEntry): UIMessageChunk[] {
    switch (entry.kind) {
      case 'reasoning':
        return thought(entry);
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
    of: (entry) => [...said(answer.add(entry)), ...beside(entry)],
    rest: (whole) => said(answer.rest(whole)),
    close,
  };
}

/** A node may name the part itself: `{type: 'data-weather', id?, data, transient?}`. */
function dataPart(data: unknown): UIMessageChunk {
  const { type, id, data: own, transient } = (data ?? {}) as Record<string, unknown>;
  if (typeof type !== 'string' || !type.startsWith('data-'))
    return { type: 'data-custom', data: data ?? null };
  return {
    type: type as `data-${string}`,
    data: own ?? null,
    ...(typeof id === 'string' && { id }),
    ...(transient === true && { transient }),
  };
}

/** The graph calls its tools itself: the client must not answer them. */
const OWN = { providerExecuted: true, dynamic: true };

function toolParts() {
  const idOf = callIds();
  return (call: ToolCall): UIMessageChunk[] => {
    const { tool: toolName, state, input = null, output = null, error = '' } = call;
    const toolCallId = idOf(call);
    if (state === 'started') return [{ type: 'tool-input-available', toolCallId, toolName, input, ...OWN }];
    if (state === 'failed') return [{ type: 'tool-output-error', toolCallId, errorText: error, ...OWN }];
    return [{ type: 'tool-output-available', toolCallId, output, ...OWN }];
  };
}
