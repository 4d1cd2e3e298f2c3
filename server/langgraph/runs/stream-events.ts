/** Converts a run's log to the events of LangGraph's run streams. Events are numbered before they are filtered per client. */
import { AIMessageChunk } from '@langchain/core/messages';
import { messageOf, taskMetadata } from '../../../graphs/adoption/stream/message-piece.ts';
import { recordedValues } from '../../../graphs/adoption/stream/stream-record.ts';
import { wireMessage } from '../../../graphs/adoption/wire-message.ts';
import {
  type LogEntry,
  type MessageDelta,
  type StreamPiece,
  taskRefOf,
} from '../../../state/threads/events.ts';
import type { StreamMode } from '../../../state/threads/runs.ts';

export interface LangGraphEvent {
  id: number;
  /** The stream mode of the event; undefined for events that every stream has. */
  mode: StreamMode | undefined;
  event: string;
  data: unknown;
}

export interface WireRun {
  runId: string;
  threadId: string;
  assistantId: string;
  graphId: string;
  /** The stream modes that the run was started with. */
  modes: readonly StreamMode[];
  subgraphs: boolean;
  /** The output of the graph at a checkpoint of the thread. */
  valuesAt(checkpointId: string): Promise<unknown>;
}

type UnnumberedEvent = Omit<LangGraphEvent, 'id'>;
type EntryOf<Kind extends LogEntry['kind']> = Extract<LogEntry, { kind: Kind }>;

/** Returns a function that converts each entry to events. Pass the entries in order, starting with the run's first. */
export function streamEvents(run: WireRun): (entry: LogEntry) => Promise<LangGraphEvent[]> {
  const modes = new Set(run.modes);
  let next = 0;
  /** The metadata of each message, from its first chunk, and the message so far, by message id. */
  const messages = new Map<string, { metadata: object; merged?: AIMessageChunk }>();
  /** The ids of messages that were sent with `messages/complete`. */
  const completeIds = new Set<string>();

  function eventsOf(entry: LogEntry): UnnumberedEvent[] | Promise<UnnumberedEvent[]> {
    switch (entry.kind) {
      case 'run':
        return [{ mode: undefined, event: 'metadata', data: { run_id: run.runId, attempt: 1 } }];
      case 'message':
        return isHidden(entry) ? [] : messageEvents(entry);
      case 'custom':
        return isHidden(entry) || !modes.has('custom') ? [] : [namespaced(entry, 'custom', entry.body.data)];
      case 'stream':
        return pieceEvents(entry);
      case 'tool':
        return isHidden(entry) || !modes.has('tools') ? [] : [namespaced(entry, 'tools', toolEvent(entry))];
      case 'thrown':
        return [{ mode: undefined, event: 'error', data: entry.body }];
      case 'end':
        return [{ mode: undefined, event: 'end', data: null }];
      default:
        return [];
    }
  }

  /** Whether the entry is from a subgraph, and the run doesn't stream subgraphs. */
  function isHidden(entry: LogEntry): boolean {
    return !run.subgraphs && taskRefOf(entry).path.length > 0;
  }

  async function pieceEvents(entry: EntryOf<'stream'>): Promise<UnnumberedEvent[]> {
    const mode = entry.body.mode as StreamMode;
    const data = await dataOf(entry.body);
    const complete = mode === 'values' && modes.has('messages') ? completeEvents(data) : [];
    return [...(modes.has(mode) ? [namespaced(entry, mode, data)] : []), ...complete];
  }

  async function dataOf(piece: StreamPiece): Promise<unknown> {
    return 'checkpoint' in piece ? (recordedValues(piece) ?? run.valuesAt(piece.checkpoint)) : piece.data;
  }

  function messageEvents(entry: EntryOf<'message'>): UnnumberedEvent[] {
    const { body } = entry;
    const id = body.id ?? '';
    const isFirst = !messages.has(id);
    const state = messages.get(id) ?? { metadata: metadataOf(entry) };
    messages.set(id, state);
    const message = messageOf(body);
    const events: UnnumberedEvent[] = [];
    if (modes.has('messages-tuple'))
      events.push({ ...namespaced(entry, 'messages', [message, state.metadata]), mode: 'messages-tuple' });
    if (!modes.has('messages') || message.type !== 'ai') return events;
    const chunk = chunkOf(body);
    state.merged = state.merged?.concat(chunk) ?? chunk;
    if (isFirst)
      events.push({
        mode: 'messages',
        event: 'messages/metadata',
        data: { [id]: { metadata: state.metadata } },
      });
    events.push({ mode: 'messages', event: 'messages/partial', data: [wireMessage(state.merged)] });
    return events;
  }

  function metadataOf(entry: EntryOf<'message'>): object {
    const { runId: run_id, threadId: thread_id, assistantId: assistant_id, graphId: graph_id } = run;
    return { run_id, thread_id, assistant_id, graph_id, ...taskMetadata(entry), ...entry.body.metadata };
  }

  /** An event with the messages of the values that are new; [] if there are none. */
  function completeEvents(values: unknown): UnnumberedEvent[] {
    const { messages: list = [] } = (values ?? {}) as { messages?: unknown };
    const added = (Array.isArray(list) ? list : []).filter(
      ({ id }: { id?: string }) => id && !completeIds.has(id),
    );
    for (const { id } of added) completeIds.add(id);
    return added.length > 0 ? [{ mode: 'messages', event: 'messages/complete', data: added }] : [];
  }

  return async (entry) => (await eventsOf(entry)).map((event) => ({ id: next++, ...event }));
}

/** An event with the namespace of the entry. Steps inside an agent get the agent's namespace, the only one that clients know. */
function namespaced(entry: LogEntry, mode: string, data: unknown): UnnumberedEvent {
  const ns = (entry.ns ?? []).slice(0, taskRefOf(entry).path.length);
  return { mode: mode as StreamMode, event: [mode, ...ns].join('|'), data };
}

function chunkOf({ delta, id, chunk }: MessageDelta): AIMessageChunk {
  return new AIMessageChunk({ content: delta, ...chunk, ...(id !== undefined && { id }) });
}

function toolEvent({ body }: EntryOf<'tool'>): object {
  const { tool: name, tool_call_id: toolCallId, state, input, output, error } = body;
  const common = { toolCallId, name };
  if (state === 'started') return { event: 'on_tool_start', ...common, input };
  if (state === 'finished') return { event: 'on_tool_end', ...common, output };
  return { event: 'on_tool_error', ...common, error };
}
