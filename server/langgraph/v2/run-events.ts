/** Converts a run's log to events of the event-streaming protocol. */
import { recordedValues } from '../../../graphs/adoption/stream/stream-record.ts';
import type { LogEntry, StreamPiece } from '../../../state/threads/events.ts';
import type { Run, StreamMode } from '../../../state/threads/runs.ts';
import { piecesOf } from '../runs/chat-pieces.ts';
import type { UnnumberedEvent } from './event.ts';
import { taskOf, trackMessages } from './message-events.ts';
import { trackSubgraphs } from './subgraph-events.ts';

export interface RunContext {
  run: Run;
  /** The pending interrupts of the thread by id, with the events that requested input. Shared by its runs, which change it. */
  pending: Map<string, UnnumberedEvent>;
  /** The output of the graph at a checkpoint of the thread; undefined if the checkpoint is no longer stored. */
  valuesAt(checkpointId: string): Promise<unknown>;
  /** Whether the run ended with an interrupt. */
  isInterrupted(): Promise<boolean>;
  /** The ids of the interrupts that are pending on the thread now. */
  pendingIds(): Promise<string[]>;
}

type EntryOf<Kind extends LogEntry['kind']> = Extract<LogEntry, { kind: Kind }>;
type Json = Record<string, unknown>;

/** Returns a function that converts each entry to events. Pass the entries in order, starting with the run's first. */
export function runEvents(context: RunContext): (entry: LogEntry) => Promise<UnnumberedEvent[]> {
  const { run, pending } = context;
  const modes = new Set<StreamMode>(run.request.protocol?.streamModes ?? []);
  const messages = trackMessages();
  const subgraphs = trackSubgraphs(modes.has('tasks'));
  /** The ids of the interrupts that this run has raised. */
  const requested = new Set<string>();
  /** The interrupts that this run resumes. */
  const resumed = new Map<string, UnnumberedEvent>();
  let hasStarted = false;
  let thrownMessage = '';

  async function eventsOf(entry: LogEntry): Promise<UnnumberedEvent[]> {
    const direct = [...subgraphs.before(entry), ...messages.before(entry), ...(await directEvents(entry))];
    const derived: UnnumberedEvent[] = [];
    for (const piece of piecesOf(entry))
      if (piece.kind === 'stream' && !modes.has(piece.body.mode as StreamMode))
        derived.push(...pieceEvents({ ...piece, at: entry.at }));
    return [...direct, ...derived, ...subgraphs.after(entry)];
  }

  function directEvents(entry: LogEntry): UnnumberedEvent[] | Promise<UnnumberedEvent[]> {
    const { ns: namespace = [] } = entry;
    switch (entry.kind) {
      case 'checkpoint':
        return [{ method: 'checkpoints', namespace, data: () => checkpointOf(entry) }];
      case 'stream':
        return pieceEvents(entry);
      case 'message':
        return messages.of(entry);
      case 'tool':
        return [{ method: 'tools', namespace: taskOf(entry), data: () => toolOf(entry) }];
      case 'custom':
        return [customEvent(entry)];
      case 'interrupt':
        return inputRequests(namespace, [{ id: entry.body.interrupt_id, value: entry.body.value }]);
      case 'thrown':
        thrownMessage = entry.body.message;
        return [];
      case 'error':
        return failed(entry);
      case 'response':
        return ended();
      default:
        return [];
    }
  }

  function pieceEvents(entry: EntryOf<'stream'>): UnnumberedEvent[] {
    const { ns: namespace = [], body } = entry;
    if ('checkpoint' in body) return [{ method: 'values', namespace, data: () => valuesIn(body) }];
    const { mode, data } = body;
    if (mode === 'tasks') return [{ method: 'tasks', namespace, data: () => data }];
    if (mode === 'updates') return updates(namespace, (data ?? {}) as Json);
    if (mode !== 'values') return [];
    const { __interrupt__: interrupts, ...values } = (data ?? {}) as Json;
    const isState = typeof data === 'object' && data !== null && !Array.isArray(data);
    const state = isState ? (Object.keys(values).length > 0 ? values : undefined) : data;
    const events: UnnumberedEvent[] = [{ method: 'values', namespace, data: () => state }];
    return [...inputRequests(namespace, interrupts), ...events];
  }

  async function valuesIn(piece: Extract<StreamPiece, { checkpoint: string }>): Promise<unknown> {
    return recordedValues(piece) ?? (await context.valuesAt(piece.checkpoint));
  }

  function updates(namespace: string[], byNode: Json): UnnumberedEvent[] {
    return Object.entries(byNode).flatMap(([node, update]): UnnumberedEvent[] => {
      if (node === '__interrupt__') return inputRequests(namespace, update);
      if (node.startsWith('__')) return [];
      const isObject = typeof update === 'object' && update !== null;
      return [{ method: 'updates', namespace, node, data: () => (isObject ? update : { value: update }) }];
    });
  }

  /** Requests input for each interrupt once, in the namespace that reports it first. */
  function inputRequests(namespace: string[], interrupts: unknown): UnnumberedEvent[] {
    const all = (Array.isArray(interrupts) ? interrupts : []) as { id?: unknown; value?: unknown }[];
    return all.flatMap(({ id, value }): UnnumberedEvent[] => {
      if (typeof id !== 'string' || requested.has(id)) return [];
      requested.add(id);
      const data = { interrupt_id: id, payload: value ?? null };
      const event: UnnumberedEvent = { method: 'input.requested', namespace, data: () => data };
      pending.set(id, event);
      return [event];
    });
  }

  /** The `run` entry is written when the run is accepted. The run has started only when the next entry is written. */
  function startEvents(entry: LogEntry): UnnumberedEvent[] {
    if (hasStarted || entry.kind === 'run') return [];
    hasStarted = true;
    const interrupt_ids = answeredBy(run, pending);
    for (const id of interrupt_ids) {
      const event = pending.get(id);
      if (event) resumed.set(id, event);
      pending.delete(id);
    }
    const start = rootLifecycle({ event: 'running' });
    if (interrupt_ids.length === 0) return [start];
    return [start, { method: 'input.answered', namespace: [], data: () => ({ interrupt_ids }) }];
  }

  async function ended(): Promise<UnnumberedEvent[]> {
    const event = requested.size > 0 || (await context.isInterrupted()) ? 'interrupted' : 'completed';
    return [...messages.end(), ...subgraphs.end(event), rootLifecycle({ event })];
  }

  async function failed({ body }: EntryOf<'error'>): Promise<UnnumberedEvent[]> {
    const isCancelled = body.error_code === 'RUN_CANCELLED';
    const error = thrownMessage || body.message;
    const end = isCancelled
      ? [...subgraphs.end('interrupted'), rootLifecycle({ event: 'interrupted' })]
      : [...subgraphs.end('failed'), rootLifecycle({ event: 'failed', error })];
    return [...messages.end(error), ...end, ...(await repeatedRequests())];
  }

  /**
   * Requests input again for the interrupts that the failed run should have resumed and that are still pending. These events
   * come last, because their number depends on when the thread is read, and the events before them must keep their numbers.
   */
  async function repeatedRequests(): Promise<UnnumberedEvent[]> {
    const ids = resumed.size > 0 ? await context.pendingIds() : [];
    return [...resumed].flatMap(([id, event]) => {
      if (!ids.includes(id) || requested.has(id)) return [];
      pending.set(id, event);
      return [event];
    });
  }

  function rootLifecycle(data: { event: string; error?: string }): UnnumberedEvent {
    const { event, ...rest } = data;
    const lifecycle = { event, graph_name: run.workflow, ...rest };
    return { method: 'lifecycle', namespace: [], data: () => lifecycle, runId: run.runId };
  }

  return async (entry) => [...startEvents(entry), ...(await eventsOf(entry))];
}

function checkpointOf({ checkpointId: id, step, body }: EntryOf<'checkpoint'>): Json {
  const { parent, source } = body;
  return { id, ...(parent !== null && { parent_id: parent }), step, source };
}

function toolOf({ body }: EntryOf<'tool'>): Json {
  const { tool, state, input, output, error } = body;
  const tool_call_id = body.tool_call_id ?? '';
  if (state === 'started') return { event: 'tool-started', tool_call_id, tool_name: tool, input };
  if (state === 'finished') return { event: 'tool-finished', tool_call_id, output: output ?? null };
  return { event: 'tool-error', tool_call_id, message: error ?? 'The tool failed' };
}

/** Data with a `name` goes to the channel of that name. */
function customEvent({ ns: namespace = [], body: { data } }: EntryOf<'custom'>): UnnumberedEvent {
  const { name, payload } = (typeof data === 'object' && data !== null ? data : {}) as Json;
  if (typeof name !== 'string') return { method: 'custom', namespace, data: () => ({ payload: data }) };
  const named = { name, payload: payload === undefined ? data : payload };
  return { method: 'custom', namespace, channel: `custom:${name}`, data: () => named };
}

/** The ids of the interrupts that the run resumes. A resume value that isn't keyed by interrupt id answers all of them. */
function answeredBy({ request }: Run, pending: ReadonlyMap<string, unknown>): string[] {
  const resume = request.resume?.values ?? request.protocol?.command?.resume;
  if (resume === undefined) return [];
  const keys = typeof resume === 'object' && resume !== null ? Object.keys(resume) : [];
  const ids = keys.filter((id) => pending.has(id));
  return ids.length > 0 ? ids : [...pending.keys()];
}
