/** A run's log as LangGraph's run streams have it: one numbered list of events, of which each client is sent its part. */
import { AIMessageChunk } from '@langchain/core/messages';
import { aboutTask, messageOf } from '../../../graphs/adoption/stream/message-piece.ts';
import { liveValues } from '../../../graphs/adoption/stream/stream-record.ts';
import { wireMessage } from '../../../graphs/adoption/wire-message.ts';
import { type LogEntry, type MessageDelta, type StreamPiece, workingOf } from '../../../state/events.ts';
import type { StreamMode } from '../../../state/runs.ts';

export interface WireEvent {
  id: number;
  /** Of which mode it is; undefined for what every stream has. */
  mode: StreamMode | undefined;
  event: string;
  data: unknown;
}

export interface WireRun {
  runId: string;
  threadId: string;
  assistantId: string;
  graphId: string;
  /** The modes that the run was asked for. */
  modes: readonly StreamMode[];
  subgraphs: boolean;
  /** The output of the graph at a checkpoint of the thread. */
  valuesAt(checkpointId: string): Promise<unknown>;
}

type Unnumbered = Omit<WireEvent, 'id'>;
type Of<Kind extends LogEntry['kind']> = Extract<LogEntry, { kind: Kind }>;

/** Gives the events of each entry; the entries must come in order, from the run's first. */
export function wireEvents(run: WireRun): (entry: LogEntry) => Promise<WireEvent[]> {
  const modes = new Set(run.modes);
  let next = 0;
  /** What is known of a message since its first piece, and the message so far, by id. */
  const messages = new Map<string, { metadata: object; whole?: AIMessageChunk }>();
  const complete = new Set<string>();

  function eventsOf(entry: LogEntry): Unnumbered[] | Promise<Unnumbered[]> {
    switch (entry.kind) {
      case 'run':
        return [{ mode: undefined, event: 'metadata', data: { run_id: run.runId, attempt: 1 } }];
      case 'message':
        return isOutside(entry) ? [] : messageEvents(entry);
      case 'custom':
        return isOutside(entry) || !modes.has('custom') ? [] : [named(entry, 'custom', entry.body.data)];
      case 'stream':
        return pieceEvents(entry);
      case 'tool':
        return isOutside(entry) || !modes.has('tools') ? [] : [named(entry, 'tools', toolEvent(entry))];
      case 'thrown':
        return [{ mode: undefined, event: 'error', data: entry.body }];
      case 'end':
        return [{ mode: undefined, event: 'end', data: null }];
      default:
        return [];
    }
  }

  function isOutside(entry: LogEntry): boolean {
    return !run.subgraphs && workingOf(entry).path.length > 0;
  }

  async function pieceEvents(entry: Of<'stream'>): Promise<Unnumbered[]> {
    const mode = entry.body.mode as StreamMode;
    const data = await dataOf(entry.body);
    const found = mode === 'values' && modes.has('messages') ? completed(data) : [];
    return [...(modes.has(mode) ? [named(entry, mode, data)] : []), ...found];
  }

  async function dataOf(piece: StreamPiece): Promise<unknown> {
    return 'checkpoint' in piece ? (liveValues(piece) ?? run.valuesAt(piece.checkpoint)) : piece.data;
  }

  function messageEvents(entry: Of<'message'>): Unnumbered[] {
    const { body } = entry;
    const id = body.id ?? '';
    const isFirst = !messages.has(id);
    const known = messages.get(id) ?? { metadata: metadataOf(entry) };
    messages.set(id, known);
    const message = messageOf(body);
    const events: Unnumbered[] = [];
    if (modes.has('messages-tuple'))
      events.push({ ...named(entry, 'messages', [message, known.metadata]), mode: 'messages-tuple' });
    if (!modes.has('messages') || message.type !== 'ai') return events;
    const piece = chunkOf(body);
    known.whole = known.whole?.concat(piece) ?? piece;
    if (isFirst)
      events.push({
        mode: 'messages',
        event: 'messages/metadata',
        data: { [id]: { metadata: known.metadata } },
      });
    events.push({ mode: 'messages', event: 'messages/partial', data: [wireMessage(known.whole)] });
    return events;
  }

  function metadataOf(entry: Of<'message'>): object {
    const { runId: run_id, threadId: thread_id, assistantId: assistant_id, graphId: graph_id } = run;
    return { run_id, thread_id, assistant_id, graph_id, ...aboutTask(entry), ...entry.body.metadata };
  }

  /** The messages of the values that were not there before. */
  function completed(values: unknown): Unnumbered[] {
    const { messages: list = [] } = (values ?? {}) as { messages?: unknown };
    const added = (Array.isArray(list) ? list : []).filter(
      ({ id }: { id?: string }) => id && !complete.has(id),
    );
    for (const { id } of added) complete.add(id);
    return added.length > 0 ? [{ mode: 'messages', event: 'messages/complete', data: added }] : [];
  }

  return async (entry) => (await eventsOf(entry)).map((event) => ({ id: next++, ...event }));
}

/** What a step of an agent's work tells is told of the agent, which is where clients know of it. */
function named(entry: LogEntry, mode: string, data: unknown): Unnumbered {
  const ns = (entry.ns ?? []).slice(0, workingOf(entry).path.length);
  return { mode: mode as StreamMode, event: [mode, ...ns].join('|'), data };
}

function chunkOf({ delta, id, chunk }: MessageDelta): AIMessageChunk {
  return new AIMessageChunk({ content: delta, ...chunk, ...(id !== undefined && { id }) });
}

function toolEvent({ body }: Of<'tool'>): object {
  const { tool: name, tool_call_id: toolCallId, state, input, output, error } = body;
  const common = { toolCallId, name };
  if (state === 'started') return { event: 'on_tool_start', ...common, input };
  if (state === 'finished') return { event: 'on_tool_end', ...common, output };
  return { event: 'on_tool_error', ...common, error };
}
