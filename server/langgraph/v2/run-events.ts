/** A run's log as the events of the event-streaming protocol. */
import { liveValues } from '../../../graphs/adoption/stream/stream-record.ts';
import type { LogEntry, StreamPiece } from '../../../state/events.ts';
import type { Run, StreamMode } from '../../../state/runs.ts';
import { piecesOf } from '../runs/chat-pieces.ts';
import type { Unnumbered } from './event.ts';
import { messagesOf, taskOf } from './message-events.ts';
import { subgraphsOf } from './subgraph-events.ts';

export interface RunOfThread {
  run: Run;
  /** What is asked on the thread and not answered, by id, with the event that told of it: the runs change it. */
  asked: Map<string, Unnumbered>;
  /** The output of the graph at a checkpoint of the thread; undefined where it is no longer kept. */
  valuesAt(checkpointId: string): Promise<unknown>;
  /** Whether the run left its thread waiting for a person. */
  waits(): Promise<boolean>;
  /** The ids of what the thread waits for now. */
  waitsFor(): Promise<string[]>;
}

type Of<Kind extends LogEntry['kind']> = Extract<LogEntry, { kind: Kind }>;
type Json = Record<string, unknown>;

/** Gives the events of each entry; the entries must come in order, from the run's first. */
export function runEvents(of: RunOfThread): (entry: LogEntry) => Promise<Unnumbered[]> {
  const { run, asked } = of;
  const modes = new Set<StreamMode>(run.request.protocol?.streamModes ?? []);
  const messages = messagesOf();
  const subgraphs = subgraphsOf(modes.has('tasks'));
  /** What this run has asked. */
  const told = new Set<string>();
  /** What this run was to answer. */
  const taken = new Map<string, Unnumbered>();
  let hasBegun = false;
  let reason = '';

  async function eventsOf(entry: LogEntry): Promise<Unnumbered[]> {
    const own = [...subgraphs.before(entry), ...messages.before(entry), ...(await ownEvents(entry))];
    const made: Unnumbered[] = [];
    for (const piece of piecesOf(entry))
      if (piece.kind === 'stream' && !modes.has(piece.body.mode as StreamMode))
        made.push(...pieceEvents({ ...piece, at: entry.at }));
    return [...own, ...made, ...subgraphs.after(entry)];
  }

  function ownEvents(entry: LogEntry): Unnumbered[] | Promise<Unnumbered[]> {
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
        return requests(namespace, [{ id: entry.body.interrupt_id, value: entry.body.value }]);
      case 'thrown':
        reason = entry.body.message;
        return [];
      case 'error':
        return failed(entry);
      case 'response':
        return ended();
      default:
        return [];
    }
  }

  function pieceEvents(entry: Of<'stream'>): Unnumbered[] {
    const { ns: namespace = [], body } = entry;
    if ('checkpoint' in body) return [{ method: 'values', namespace, data: () => valuesIn(body) }];
    const { mode, data } = body;
    if (mode === 'tasks') return [{ method: 'tasks', namespace, data: () => data }];
    if (mode === 'updates') return updates(namespace, (data ?? {}) as Json);
    if (mode !== 'values') return [];
    const { __interrupt__: requested, ...values } = (data ?? {}) as Json;
    const isState = typeof data === 'object' && data !== null && !Array.isArray(data);
    const left = isState ? (Object.keys(values).length > 0 ? values : undefined) : data;
    const events: Unnumbered[] = [{ method: 'values', namespace, data: () => left }];
    return [...requests(namespace, requested), ...events];
  }

  async function valuesIn(piece: Extract<StreamPiece, { checkpoint: string }>): Promise<unknown> {
    return liveValues(piece) ?? (await of.valuesAt(piece.checkpoint));
  }

  function updates(namespace: string[], byNode: Json): Unnumbered[] {
    return Object.entries(byNode).flatMap(([node, given]): Unnumbered[] => {
      if (node === '__interrupt__') return requests(namespace, given);
      if (node.startsWith('__')) return [];
      const isObject = typeof given === 'object' && given !== null;
      return [{ method: 'updates', namespace, node, data: () => (isObject ? given : { value: given }) }];
    });
  }

  /** What it asks is told once, with the graph that asks. */
  function requests(namespace: string[], given: unknown): Unnumbered[] {
    const all = (Array.isArray(given) ? given : []) as { id?: unknown; value?: unknown }[];
    return all.flatMap(({ id, value }): Unnumbered[] => {
      if (typeof id !== 'string' || told.has(id)) return [];
      told.add(id);
      const data = { interrupt_id: id, payload: value ?? null };
      const event: Unnumbered = { method: 'input.requested', namespace, data: () => data };
      asked.set(id, event);
      return [event];
    });
  }

  /** Its first entry is there once it is accepted, but it runs only with the next. */
  function beginning(entry: LogEntry): Unnumbered[] {
    if (hasBegun || entry.kind === 'run') return [];
    hasBegun = true;
    const answered = answeredBy(run, asked);
    for (const id of answered) {
      const event = asked.get(id);
      if (event) taken.set(id, event);
      asked.delete(id);
    }
    const begin = root({ event: 'running' });
    if (answered.length === 0) return [begin];
    return [begin, { method: 'input.answered', namespace: [], data: () => ({ interrupt_ids: answered }) }];
  }

  async function ended(): Promise<Unnumbered[]> {
    const event = told.size > 0 || (await of.waits()) ? 'interrupted' : 'completed';
    return [...messages.end(), ...subgraphs.end(event), root({ event })];
  }

  async function failed({ body }: Of<'error'>): Promise<Unnumbered[]> {
    const isCancelled = body.error_code === 'RUN_CANCELLED';
    const error = reason || body.message;
    const end = isCancelled
      ? [...subgraphs.end('interrupted'), root({ event: 'interrupted' })]
      : [...subgraphs.end('failed'), root({ event: 'failed', error })];
    return [...messages.end(error), ...end, ...(await askedAgain())];
  }

  /** What it did not get to answer is asked as before. It comes last: how much it is depends on when that is looked at. */
  async function askedAgain(): Promise<Unnumbered[]> {
    const ids = taken.size > 0 ? await of.waitsFor() : [];
    return [...taken].flatMap(([id, event]) => {
      if (!ids.includes(id) || told.has(id)) return [];
      asked.set(id, event);
      return [event];
    });
  }

  function root(data: { event: string; error?: string }): Unnumbered {
    const { event, ...rest } = data;
    const whole = { event, graph_name: run.workflow, ...rest };
    return { method: 'lifecycle', namespace: [], data: () => whole, runId: run.runId };
  }

  return async (entry) => [...beginning(entry), ...(await eventsOf(entry))];
}

function checkpointOf({ checkpointId: id, step, body }: Of<'checkpoint'>): Json {
  const { parent, source } = body;
  return { id, ...(parent !== null && { parent_id: parent }), step, source };
}

function toolOf({ body }: Of<'tool'>): Json {
  const { tool, state, input, output, error } = body;
  const tool_call_id = body.tool_call_id ?? '';
  if (state === 'started') return { event: 'tool-started', tool_call_id, tool_name: tool, input };
  if (state === 'finished') return { event: 'tool-finished', tool_call_id, output: output ?? null };
  return { event: 'tool-error', tool_call_id, message: error ?? 'The tool failed' };
}

/** Data that a graph gave a name goes to the channel of that name. */
function customEvent({ ns: namespace = [], body: { data } }: Of<'custom'>): Unnumbered {
  const { name, payload } = (typeof data === 'object' && data !== null ? data : {}) as Json;
  if (typeof name !== 'string') return { method: 'custom', namespace, data: () => ({ payload: data }) };
  const named = { name, payload: payload === undefined ? data : payload };
  return { method: 'custom', namespace, channel: `custom:${name}`, data: () => named };
}

/** By their ids where the answer names them; an answer without a name is that to all. */
function answeredBy({ request }: Run, asked: ReadonlyMap<string, unknown>): string[] {
  const given = request.resume?.values ?? request.protocol?.command?.resume;
  if (given === undefined) return [];
  const named = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  const known = named.filter((id) => asked.has(id));
  return known.length > 0 ? known : [...asked.keys()];
}
