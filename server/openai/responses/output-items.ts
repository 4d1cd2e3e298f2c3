/** Converts a run's log to the output items of a response and to the events that stream them. */
import type { AnswerText } from '../../../runtime/journal/answer-text.ts';
import type { EndedRun } from '../../../runtime/run/ending/ended-run.ts';
import type { LogEntry, ToolCall } from '../../../state/threads/events.ts';
import { interruptCalls } from '../interrupt-calls.ts';
import type { OutputItem } from './schema.ts';

export interface ItemEvent {
  type: string;
  [field: string]: unknown;
}

export interface OutputItems {
  /** Returns the events of an entry. Pass the entries in order. */
  add(entry: LogEntry): ItemEvent[];
  /** Returns the events of the run's end. */
  end(ended: EndedRun): ItemEvent[];
  items: OutputItem[];
}

type Message = Extract<OutputItem, { type: 'message' }>;
type FunctionCall = Extract<OutputItem, { type: 'function_call' }>;

/** Deterministic: the same log always results in the same items and events. */
export function outputItems(
  { runId, messageId }: { runId: string; messageId: string },
  text: AnswerText,
): OutputItems {
  const items: OutputItem[] = [];
  let message: { item: Message; index: number } | undefined;

  function append(item: OutputItem): number {
    return items.push(item) - 1;
  }

  function addText(delta: string): ItemEvent[] {
    const start = message ? [] : startMessage();
    if (!message || delta === '') return start;
    const { item, index } = message;
    const [part] = item.content;
    if (part) part.text += delta;
    return [...start, { type: 'response.output_text.delta', ...partAt(item, index), delta, logprobs: [] }];
  }

  function startMessage(): ItemEvent[] {
    const part = { type: 'output_text' as const, text: '', annotations: [] as [], logprobs: [] as [] };
    const item: Message = {
      ...{ id: `msg_${messageId}`, type: 'message', role: 'assistant', status: 'in_progress' },
      content: [part],
    };
    const index = append(item);
    message = { item, index };
    return [
      { type: ADDED, output_index: index, item: { ...item, content: [] } },
      { type: 'response.content_part.added', ...partAt(item, index), part: { ...part } },
    ];
  }

  function finishMessage(): ItemEvent[] {
    if (!message) return [];
    const { item, index } = message;
    item.status = 'completed';
    const [part] = item.content;
    return [
      { type: 'response.output_text.done', ...partAt(item, index), text: part?.text ?? '', logprobs: [] },
      { type: 'response.content_part.done', ...partAt(item, index), part },
      { type: DONE, output_index: index, item },
    ];
  }

  function addCall(item: FunctionCall): ItemEvent[] {
    const index = append(item);
    const ids = { item_id: item.id, output_index: index };
    return [
      { type: ADDED, output_index: index, item: { ...item, arguments: '', status: 'in_progress' } },
      { type: 'response.function_call_arguments.delta', ...ids, delta: item.arguments },
      {
        ...{ type: 'response.function_call_arguments.done', ...ids },
        ...{ name: item.name, arguments: item.arguments },
      },
      { type: DONE, output_index: index, item },
    ];
  }

  function toolEvents({ tool: name, tool_call_id, state, input, output, error }: ToolCall): ItemEvent[] {
    // A tool that isn't called by a model has no call id.
    const call_id = tool_call_id ?? `call_${name}`;
    const id = `${items.length}_${runId}`;
    if (state === 'started') {
      const call = { call_id, name, arguments: jsonText(input ?? {}), status: 'completed' as const };
      return addCall({ id: `fc_${id}`, type: 'function_call', ...call });
    }
    const item: OutputItem = {
      ...{ id: `fco_${id}`, type: 'function_call_output', call_id, status: 'completed' },
      output: jsonText(state === 'failed' ? (error ?? '') : (output ?? '')),
    };
    const index = append(item);
    return [ADDED, DONE].map((type) => ({ type, output_index: index, item }));
  }

  return {
    items,
    add(entry) {
      const delta = text.add(entry);
      const textEvents = delta === '' ? [] : addText(delta);
      return entry.kind === 'tool' ? [...textEvents, ...toolEvents(entry.body)] : textEvents;
    },
    end({ result }) {
      const rest = text.rest(result.agentResponse);
      const calls = interruptCalls(result);
      // A response without interrupts has a message, even if its text is empty.
      const textEvents = rest !== '' || (!message && calls.length === 0) ? addText(rest) : [];
      const callEvents = calls.flatMap(({ id, ...call }) =>
        addCall({ id: `fc_${id}`, type: 'function_call', call_id: id, ...call, status: 'completed' }),
      );
      return [...textEvents, ...finishMessage(), ...callEvents];
    },
  };
}

const ADDED = 'response.output_item.added';
const DONE = 'response.output_item.done';

function partAt({ id }: Message, index: number) {
  return { item_id: id, output_index: index, content_index: 0 };
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
