/** Writes the chunks of LangGraph's stream that the client requested into a run's log. */
import type { NewEntry, StreamPiece } from '../../../state/threads/events.ts';
import type { StreamMode } from '../../../state/threads/runs.ts';
import { isMessage } from '../message-json.ts';
import { wireJson } from '../wire-message.ts';
import { checkpointPiece, debugPiece, taskPiece } from './debug-pieces.ts';
import { identify } from './message-piece.ts';

export interface StreamRecord {
  /** The modes to request from LangGraph's own stream. */
  modes: readonly string[];
  /** Whether the client requested messages piece by piece. */
  messages: boolean;
  /** Whether the client requested LangChain's events. */
  events: boolean;
  /** `ns`: the enclosing graphs, [] at the root. Chunks that were not requested are dropped. */
  push(ns: string[], mode: string, payload: unknown): void;
}

export interface StreamRecordOptions {
  modes: readonly StreamMode[];
  subgraphs: boolean;
  emit(entry: NewEntry): void;
}

// Characters of JSON. Larger values are read from their checkpoint instead, so that a log does not grow with its thread.
const MAX_INLINE = 4_096;
const OWN_STREAMS = ['values', 'updates', 'debug', 'checkpoints', 'tasks'];

export function streamRecord({ modes, subgraphs, emit }: StreamRecordOptions): StreamRecord {
  const wanted = new Set<string>(modes);
  // Complete messages are read from the values.
  if (wanted.has('messages')) wanted.add('values');
  /** The checkpoint of the next values, and the last one that an entry refers to. */
  let current: string | undefined;
  let named: string | undefined;
  let areLarge = false;

  function values(ns: string[], payload: unknown): void {
    const id = ns.length === 0 && current !== named ? current : undefined;
    named = current;
    const data = lazy(() => wireJson(payload));
    if (id === undefined || isInterrupt(payload) || !(areLarge || isLarge(data()))) {
      add(ns, 'values', data());
      return;
    }
    areLarge = true;
    const body: StreamPiece = { mode: 'values', checkpoint: id };
    live.set(body, data);
    emit({ kind: 'stream', body });
  }

  function add(ns: string[], mode: string, data: unknown): void {
    emit({ ...(ns.length > 0 && { ns }), kind: 'stream', body: { mode, data } });
  }

  return {
    modes: OWN_STREAMS.filter((mode) => wanted.has(mode)),
    messages: wanted.has('messages') || wanted.has('messages-tuple'),
    events: wanted.has('events'),
    push(ns, mode, payload) {
      const isEnvelope = mode === 'checkpoints' && !('values' in (payload as object));
      if (isEnvelope && ns.length === 0) current = (payload as { id: string }).id;
      if (isEnvelope || !wanted.has(mode) || (ns.length > 0 && !subgraphs)) return;
      if (mode === 'updates') identifyAll(payload);
      if (mode === 'values') values(ns, payload);
      else add(ns, mode, wireJson(FORMS[mode]?.(payload as never) ?? payload));
    },
  };
}

const FORMS: Record<string, ((payload: never) => unknown) | undefined> = {
  checkpoints: checkpointPiece,
  tasks: taskPiece,
  debug: debugPiece,
};

/** Messages in updates get the ids that they will have in the state. */
function identifyAll(update: unknown): void {
  if (typeof update !== 'object' || update === null) return;
  for (const given of Object.values(update).flat())
    for (const value of Object.values(given ?? {}).flat()) if (isMessage(value)) identify(value);
}

/** Values of referenced checkpoints, while they are in memory. */
const live = new WeakMap<StreamPiece, () => unknown>();

/** The values of an entry that refers to a checkpoint, if this process still has them. */
export function recordedValues(piece: StreamPiece): unknown {
  return live.get(piece)?.();
}

function isLarge(data: unknown): boolean {
  return (JSON.stringify(data) ?? '').length > MAX_INLINE;
}

function isInterrupt(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && '__interrupt__' in payload;
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
