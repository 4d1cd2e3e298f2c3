/** A run's log as the output items of a response, and the events that tell of them. */
import type { AnswerText } from '../../../runtime/journal/answer-text.ts';
import type { EndedRun } from '../../../runtime/run/ended-run.ts';
import type { LogEntry, ToolCall } from '../../../state/events.ts';
import { interruptCalls } from '../interrupt-calls.ts';
import type { OutputItem } from './schema.ts';

export interface ItemEvent {
  type: string;
  [field: string]: unknown;
}

export interface OutputItems {
  /** The events of an entry; the entries must come in order. */
  add(entry: LogEntry): ItemEvent[];
  /** Those of the run's end. */
  end(ended: EndedRun): ItemEvent[];
  items: OutputItem[];
}

type Message = Extract<OutputItem, { type: 'message' }>;
type FunctionCall = Extract<OutputItem, { type: 'function_call' }>;

/** The same log gives the same items. */
export function outputItems(
  { runId, messageId }: { runId: string; messageId: string },
  text: AnswerText,
): OutputItems {
  const items: OutputItem[] = [];
  let message: { item: Message; index: number } | undefined;

  function added(item: OutputItem): number {
    return items.push(item) - 1;
  }

  function say(delta: string): ItemEvent[] {
    const begun = message ? [] : begin();
    if (!message || delta === '') return begun;
    const { item, index } = message;
    const [part] = item.content;
    if (part) part.text += delta;
    return [...begun, { type: 'response.output_text.delta', ...partAt(item, index), delta, logprobs: [] }];
  }

  function begin(): ItemEvent[] {
    const part = { type: 'output_text' as const, text: '', annotations: [] as [], logprobs: [] as [] };
    const item: Message = {
      ...{ id: `msg_${messageId}`, type: 'message', role: 'assistant', status: 'in_progress' },
      content: [part],
    };
    const index = added(item);
    message = { item, index };
    return [
      { type: ADDED, output_index: index, item: { ...item, content: [] } },
      { type: 'response.content_part.added', ...partAt(item, index), part: { ...part } },
    ];
  }

  function finish(): ItemEvent[] {
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

  function called(item: FunctionCall): ItemEvent[] {
    const index = added(item);
    const at = { item_id: item.id, output_index: index };
    return [
      { type: ADDED, output_index: index, item: { ...item, arguments: '', status: 'in_progress' } },
      { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
      {
        ...{ type: 'response.function_call_arguments.done', ...at },
        ...{ name: item.name, arguments: item.arguments },
      },
      { type: DONE, output_index: index, item },
    ];
  }

  function toolEvents({ tool: name, tool_call_id, state, input, output, error }: ToolCall): ItemEvent[] {
    // A tool that is called without a model has no id.
    const call_id = tool_call_id ?? `call_${name}`;
    const id = `${items.length}_${runId}`;
    if (state === 'started') {
      const call = { call_id, name, arguments: jsonText(input ?? {}), status: 'completed' as const };
      return called({ id: `fc_${id}`, type: 'function_call', ...call });
    }
    const item: OutputItem = {
      ...{ id: `fco_${id}`, type: 'function_call_output', call_id, status: 'completed' },
      output: jsonText(state === 'failed' ? (error ?? '') : (output ?? '')),
    };
    const index = added(item);
    return [ADDED, DONE].map((type) => ({ type, output_index: index, item }));
  }

  return {
    items,
    add(entry) {
      const delta = text.add(entry);
      const said = delta === '' ? [] : say(delta);
      return entry.kind === 'tool' ? [...said, ...toolEvents(entry.body)] : said;
    },
    end({ result }) {
      const rest = text.rest(result.agentResponse);
      const calls = interruptCalls(result);
      const said = rest !== '' || (!message && calls.length === 0) ? say(rest) : [];
      const asked = calls.flatMap(({ id, ...call }) =>
        called({ id: `fc_${id}`, type: 'function_call', call_id: id, ...call, status: 'completed' }),
      );
      return [...said, ...finish(), ...asked];
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
