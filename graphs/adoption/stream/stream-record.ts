/** Puts the pieces of LangGraph's stream into a run's log that its protocol was asked for. */
import type { NewEntry, StreamPiece } from '../../../state/events.ts';
import type { StreamMode } from '../../../state/runs.ts';
import { isMessage } from '../message-json.ts';
import { wireJson } from '../wire-message.ts';
import { checkpointPiece, debugPiece, taskPiece } from './debug-pieces.ts';
import { identify } from './message-piece.ts';

export interface StreamRecord {
  /** The modes that LangGraph's own stream must have for it. */
  modes: readonly string[];
  /** Whether models' messages are wanted piece by piece. */
  messages: boolean;
  /** Whether LangChain's events are wanted. */
  events: boolean;
  /** `ns`: the enclosing graphs, [] at the root. Pieces that nobody asked for are left out. */
  push(ns: string[], mode: string, payload: unknown): void;
}

export interface StreamRecordOptions {
  modes: readonly StreamMode[];
  subgraphs: boolean;
  emit(entry: NewEntry): void;
}

// Characters of JSON. Larger values are read from their checkpoint again, so that a log does not grow with its thread.
const MOST_INLINE = 4_096;
const OWN_STREAMS = ['values', 'updates', 'debug', 'checkpoints', 'tasks'];

export function streamRecord({ modes, subgraphs, emit }: StreamRecordOptions): StreamRecord {
  const wanted = new Set<string>(modes);
  // The messages that are complete are found in the values.
  if (wanted.has('messages')) wanted.add('values');
  /** The checkpoint that the next values are those of, and the last one that was named for some. */
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

/** Messages in updates have the ids that they will have in the state. */
function identifyAll(update: unknown): void {
  if (typeof update !== 'object' || update === null) return;
  for (const given of Object.values(update).flat())
    for (const value of Object.values(given ?? {}).flat()) if (isMessage(value)) identify(value);
}

/** Values that are named by their checkpoint, while they are in memory. */
const live = new WeakMap<StreamPiece, () => unknown>();

/** The values of a piece that names a checkpoint, if this process still has them. */
export function liveValues(piece: StreamPiece): unknown {
  return live.get(piece)?.();
}

function isLarge(data: unknown): boolean {
  return (JSON.stringify(data) ?? '').length > MOST_INLINE;
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
