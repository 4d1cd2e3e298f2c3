/** Checks messages that a caller writes to a graph's channels, which LangGraph converts only when the run has started. */
import { coerceMessageLikeToMessage } from '@langchain/core/messages';
import { messagesStateReducer } from '@langchain/langgraph';
import type { CompiledGraph } from '../../authoring/workflow.ts';

const EXPECTED = 'expected a message, such as {"role": "user", "content": "Hello"}';

/** The path of the first value that LangGraph can't convert to a message, and what is expected there. Undefined if all are valid. */
export function messageIssue(graph: CompiledGraph, values: object, part: string): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    if (!takesMessages(graph, name) || isOverwrite(value)) continue;
    const given: unknown[] = Array.isArray(value) ? value : [value];
    const wrong = given.findIndex((one) => !isMessage(one));
    if (wrong >= 0) return `${part}.${name}${Array.isArray(value) ? `.${wrong}` : ''}: ${EXPECTED}`;
  }
  return undefined;
}

/** By name, because a project may have a different copy of LangGraph than the service. */
function takesMessages({ channels }: CompiledGraph, name: string): boolean {
  const channel: unknown = Object.hasOwn(channels, name)
    ? channels[name as keyof typeof channels]
    : undefined;
  const { operator } = (channel ?? {}) as { operator?: unknown };
  return typeof operator === 'function' && operator.name === messagesStateReducer.name;
}

/** LangGraph writes the value of an overwrite without converting it. */
function isOverwrite(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '__overwrite__' in value;
}

function isMessage(value: unknown): boolean {
  try {
    coerceMessageLikeToMessage(value as Parameters<typeof coerceMessageLikeToMessage>[0]);
    return true;
  } catch {
    return false;
  }
}
