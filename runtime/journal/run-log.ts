/** A run's event log: numbered from 1, tokens joined, stored in pieces, and followed by any number of listeners. */
import type { Attempts } from '../../graphs/authoring/run-context.ts';
import type { EventBatch, Events, RunEvent } from '../../state/events.ts';
import type { AgentReport } from '../../state/run-trace.ts';
import type { EarlierEvents } from './earlier-events.ts';
import { type RunProgress, runProgress, workFinished } from './run-progress.ts';

export interface RunLog {
  emit(event: RunEvent): void;
  /**
   * Everything that is not known to be stored, and the run's last events after it, for the run's end to store with
   * itself. Nothing more is stored until then; where that fails, it may be called again with other last events.
   */
  ending(last: RunEvent[]): EventBatch[];
  agents(): AgentReport[];
  /** Where an earlier process was cut off: the agents whose work is in the checkpoint, once for each time. */
  left(agents: string[]): void;
  attempts: Attempts;
  /** Begins the record of an agent's work. */
  record: RunProgress['record'];
  /** What the events say that was used. */
  told: RunProgress['told'];
  /** What the agents have said so far, as the conversation shows it. */
  text(): string;
  /** What `ending` gave is stored; or the log stops here for the given reason. */
  close(reason?: Error): void;
  /** Begins to store events as they come; the function that is given back ends that. */
  listen(): () => void;
  /** Stored batches after event `after`; undefined where they must be read from the store. */
  since(after: number): EventBatch[] | undefined;
  /** Set once the log is closed. */
  readonly closed: { reason: Error | undefined } | undefined;
  /** Resolves at the next batch that is stored, or when the log is closed. */
  changed(): Promise<void>;
}

// Long enough that a fast answer is one row, short enough that a reader never sees it lag.
const JOIN_MS = 20;
const RETRY_MS = 500;
// A batch stays small, and so does what a listener holds that reads slowly: at most 16 events of about 4 KB.
const EVENT_CHARACTERS = 4_096;
const BATCH_EVENTS = 16;
// About half a second of tokens: a listener that keeps up reads from memory, a slower one from the store.
const RECENT = 32;

/** `earlier`: what an earlier process has stored of the run; the numbers go on after it. */
export function runLog(runId: string, events: Events, earlier?: EarlierEvents): RunLog {
  const progress = earlier?.progress ?? runProgress();
  let pending: RunEvent[] = [];
  /** Cut, but not known to be stored. */
  const cut: EventBatch[] = [];
  let recent: EventBatch[] = [];
  let next = (earlier?.last ?? 0) + 1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let listeners = 0;
  let final: EventBatch | undefined;
  let closed: RunLog['closed'];
  let change = Promise.withResolvers<void>();

  const underWay = new Set<EventBatch>();
  const stored = new Set<EventBatch>();

  function cutPending(): void {
    clearTimeout(timer);
    timer = undefined;
    if (pending.length === 0) return;
    cut.push({ first: next, last: next + pending.length - 1, events: pending });
    next += pending.length;
    pending = [];
  }

  function store(): void {
    if (closed || final) return;
    cutPending();
    for (const batch of cut) if (!underWay.has(batch) && !stored.has(batch)) void write(batch);
  }

  /** A batch that cannot be stored is tried again: the events of a run have no holes. */
  async function write(batch: EventBatch): Promise<void> {
    underWay.add(batch);
    try {
      await events.append(runId, batch, listeners > 0 ? 'now' : 'soon');
      confirm(batch);
    } catch {
      timer ??= setTimeout(store, RETRY_MS);
    } finally {
      underWay.delete(batch);
    }
  }

  /** Listeners hear of a batch once all before it are stored too. */
  function confirm(...batches: EventBatch[]): void {
    for (const batch of batches) stored.add(batch);
    const held = cut.findIndex((batch) => !stored.has(batch));
    const done = cut.splice(0, held < 0 ? cut.length : held);
    if (done.length === 0) return;
    for (const batch of done) stored.delete(batch);
    recent = listeners > 0 ? [...recent, ...done].slice(-RECENT) : [];
    announce();
  }

  function announce(): void {
    const { resolve } = change;
    change = Promise.withResolvers<void>();
    resolve();
  }

  return {
    emit(event) {
      const first = progress.note(event);
      if (first || !joined(pending.at(-1), event)) pending.push(event);
      // Queued before the writes of the work itself: whoever finds its work done finds what it said, too.
      if (workFinished(event) || pending.length >= BATCH_EVENTS) store();
      else if (listeners > 0 && (first || event.event !== 'token')) queueMicrotask(store);
      else timer ??= setTimeout(store, JOIN_MS);
    },
    ending(last) {
      clearTimeout(timer);
      const events = [...pending, ...last];
      final = { first: next, last: next + events.length - 1, events };
      return [...cut, final];
    },
    agents: progress.agents,
    left: progress.left,
    attempts: progress.attempts,
    record: progress.record,
    told: progress.told,
    text: progress.text,
    close(reason) {
      clearTimeout(timer);
      closed = { reason };
      if (!reason && final) {
        next = final.last + 1;
        cut.push(final);
        confirm(...cut);
      }
      announce();
    },
    listen() {
      listeners++;
      store();
      return () => {
        listeners--;
      };
    },
    since(after) {
      const first = recent[0];
      if (first && first.first <= after + 1) return recent.filter(({ last }) => last > after);
      const lastStored = (cut[0]?.first ?? next) - 1;
      return after >= lastStored ? [] : undefined;
    },
    get closed() {
      return closed;
    },
    changed: () => change.promise,
  };
}

/** Adds a token to the event before it, where that is one of the same agent. */
function joined(last: RunEvent | undefined, event: RunEvent): boolean {
  if (event.event !== 'token' || last?.event !== 'token') return false;
  const [before, added] = [last.data, event.data];
  if (before.agent !== added.agent || before.text.length >= EVENT_CHARACTERS) return false;
  last.data = { agent: before.agent, text: before.text + added.text };
  return true;
}
