/** A run's log: numbered from 1, text joined, stored in pieces, and followed by any number of listeners. */
import type { EventBatch, LogEntry, NewEntry, Urgency } from '../../state/events.ts';
import type { AgentReport } from '../../state/run-trace.ts';
import {
  type ChatEvent,
  chatEvent,
  chatEvents,
  EVENT_CHARACTERS,
  joined,
  type ShownEntry,
} from './chat-events.ts';
import type { EarlierEvents } from './earlier-events.ts';
import { type RunProgress, runProgress, workFinished } from './run-progress.ts';
import type { Shown, View } from './view.ts';

export interface RunLog {
  /** The entry is the log's own from here on: text that follows is added to it. */
  emit(entry: NewEntry): void;
  /**
   * Everything that is not known to be stored, and the run's last entries after it, for the run's end to store with
   * itself. Nothing more is stored until then; where that fails, it may be called again with other last entries.
   */
  ending(last: NewEntry[]): EventBatch[];
  agents(): AgentReport[];
  executions: RunProgress['executions'];
  record: RunProgress['record'];
  outputs: RunProgress['outputs'];
  asking: RunProgress['asking'];
  /** What the entries say that was used. */
  reported: RunProgress['reported'];
  /** What the agents have said so far, as the conversation shows it. */
  text(): string;
  /** The run has a new lease: a write that waits under the one before would be rejected, so another one takes its entries. */
  claimed(): void;
  /** What `ending` gave is stored; or the log stops here for the given reason. */
  close(reason?: Error): void;
  /** Begins to store entries as they come; the function that is given back ends that. */
  listen(): () => void;
  /** Somebody listens in another process from now on: what waits to be stored is stored. */
  followed(): void;
  /** What a view shows of stored batches after its number `after`; undefined where they must be read from the store. */
  since<Event>(view: View<Event>, after: number): Shown<Event>[] | undefined;
  /** Set once the log is closed. */
  readonly closed: { reason: Error | undefined } | undefined;
  /** Resolves at the next batch that is stored, or when the log is closed. */
  changed(): Promise<void>;
}

// Short enough that a reader never sees it lag.
const JOIN_MS = 20;
// What chat does not show waits for the next event: a checkpoint, for the agent that starts from it.
const QUIET_MS = 100;
// While nobody listens, finished work alone is urgent. A crash loses at most so much of what nobody has seen.
const UNHEARD_MS = 250;
const RETRY_MS = 500;
// A batch stays small, and so does what a listener holds that reads slowly: at most 16 events of about 4 KB, and the
// small entries between them.
const BATCH_EVENTS = 16;
// About half a second of tokens: a listener that keeps up reads from memory, a slower one from the store.
const RECENT = 32;

/** Stores batches of the run under its lease: see `Events.append`. */
export type Append = (take: () => EventBatch[], urgency: Urgency) => Promise<void>;

export interface RunLogOptions {
  /** What an earlier process has stored of the run; the numbers go on after it. */
  earlier?: EarlierEvents | undefined;
  /** While somebody listens, nothing waits to be stored with what follows. */
  atOnce?: boolean;
  /** Whether somebody listens in another process. */
  isFollowed?: () => boolean;
}

export function runLog(
  append: Append,
  { earlier, atOnce = false, isFollowed = () => false }: RunLogOptions = {},
): RunLog {
  const progress = earlier?.progress ?? runProgress();
  let pending: LogEntry[] = [];
  /** What chat shows of them: what it joins, and when it is told, does not depend on what it does not show. */
  let shown: ShownEntry[] = [];
  /** Cut, but not known to be stored. */
  const cut: EventBatch[] = [];
  let recent: EventBatch[] = [];
  let next = (earlier?.last ?? 0) + 1;
  let nextInChat = (earlier?.chat ?? 0) + 1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let quietTimer: ReturnType<typeof setTimeout> | undefined;
  let listeners = 0;
  let final: EventBatch | undefined;
  let closed: RunLog['closed'];
  let change = Promise.withResolvers<void>();

  /** How urgent the write is that has not taken anything yet. */
  let queued: Urgency | undefined;
  /** How often the run was claimed. */
  let claims = 0;
  const underWay = new Set<EventBatch>();
  const stored = new Set<EventBatch>();

  const isHeard = () => listeners > 0 || isFollowed();

  function cutPending(): void {
    stopTimers();
    if (pending.length === 0) return;
    const batch = batchOf(pending, shown.length);
    cut.push(batch);
    next = batch.last + 1;
    nextInChat = batch.chat.last + 1;
    pending = [];
    shown = [];
  }

  function batchOf(entries: LogEntry[], inChat: number): EventBatch {
    const chat = { first: nextInChat, last: nextInChat + inChat - 1 };
    return { first: next, last: next + entries.length - 1, chat, entries };
  }

  function stopTimers(): void {
    clearTimeout(timer);
    timer = undefined;
    stopQuietTimer();
  }

  function stopQuietTimer(): void {
    clearTimeout(quietTimer);
    quietTimer = undefined;
  }

  function store(): void {
    const urgency = isHeard() ? 'now' : 'soon';
    if (closed || final || queued === 'now' || queued === urgency) return;
    if (pending.length + cut.length > 0) void write(urgency);
  }

  /** What is written is taken when it is: all that has come until then. */
  async function write(urgency: Urgency): Promise<void> {
    const taken: EventBatch[] = [];
    const claim = claims;
    queued = urgency;
    try {
      await append(() => (claim === claims ? take(taken) : taken), urgency);
      confirm(...taken);
    } catch {
      // Tried again: a run's log has no holes.
      if (claim === claims) queued = undefined;
      timer ??= setTimeout(store, RETRY_MS);
    } finally {
      for (const batch of taken) underWay.delete(batch);
    }
  }

  /** Adds to `taken` what no other write has. What the run's end stores is left to that. */
  function take(taken: EventBatch[]): EventBatch[] {
    queued = undefined;
    if (closed || final) return taken;
    cutPending();
    const free = cut.filter((batch) => !underWay.has(batch) && !stored.has(batch));
    for (const batch of free) underWay.add(batch);
    taken.push(...free);
    return taken;
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

  /** Says when what was emitted last is stored. */
  function plan(entry: NewEntry, event: ChatEvent | undefined, isFirst: boolean): void {
    // Queued before the writes of the work itself: whoever finds its work done finds what it said, too.
    if (workFinished(entry) || pending.length === 0) store();
    else if (!isHeard()) timer ??= setTimeout(store, UNHEARD_MS);
    else if (atOnce) queueMicrotask(store);
    else if (!event) planQuietly();
    else if (isFirst || entry.kind !== 'message') queueMicrotask(store);
    else timer ??= setTimeout(store, JOIN_MS);
  }

  /** What chat does not show is stored with what it is told next, or a moment later where that is nothing. */
  function planQuietly(): void {
    if (shown.length === 0) quietTimer ??= setTimeout(store, QUIET_MS);
  }

  return {
    emit(entry) {
      const event = chatEvent(entry);
      const isFirst = progress.note(entry);
      const added = event && { event, taskId: entry.taskId };
      const isJoined = added !== undefined && joined(shown.at(-1), added);
      const mayJoin = isJoined || entry.kind === 'reasoning';
      if (!mayJoin || !continued(pending.at(-1), entry)) pending.push({ at: Date.now(), ...entry });
      if (added && !isJoined) shown.push(added);
      if (event) stopQuietTimer();
      if (shown.length >= BATCH_EVENTS) cutPending();
      plan(entry, event, isFirst);
    },
    ending(last) {
      stopTimers();
      const at = Date.now();
      const ends = last.map((entry) => ({ at, ...entry }));
      final = batchOf([...pending, ...ends], shown.length + chatEvents(ends).length);
      return [...cut, final];
    },
    agents: progress.agents,
    executions: progress.executions,
    record: progress.record,
    outputs: progress.outputs,
    asking: progress.asking,
    reported: progress.reported,
    text: progress.text,
    claimed() {
      claims++;
      if (queued === undefined) return;
      queued = undefined;
      store();
    },
    close(reason) {
      stopTimers();
      closed = { reason };
      if (!reason && final) {
        next = final.last + 1;
        nextInChat = final.chat.last + 1;
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
    followed: store,
    since(view, after) {
      const held = recent.map(view.of);
      if (held[0] && held[0].first <= after + 1) return held.filter(({ last }) => last > after);
      const lastStored = view.of(cut[0] ?? batchOf([], 0)).first - 1;
      return after >= lastStored ? [] : undefined;
    },
    get closed() {
      return closed;
    },
    changed: () => change.promise,
  };
}

/** Adds text to the entry before it, where that is text of the same message. */
function continued(last: LogEntry | undefined, entry: NewEntry): boolean {
  if (entry.kind === 'reasoning') return thoughtOn(last, entry);
  if (entry.kind !== 'message' || last?.kind !== 'message') return false;
  if (last.taskId !== entry.taskId || last.body.id !== entry.body.id) return false;
  if (last.body.chunk || entry.body.chunk) return false;
  last.body.delta += entry.body.delta;
  return true;
}

/** The same for what a model thinks. */
function thoughtOn(
  last: LogEntry | undefined,
  { taskId, body }: Extract<NewEntry, { kind: 'reasoning' }>,
): boolean {
  if (last?.kind !== 'reasoning' || last.taskId !== taskId || last.body.id !== body.id) return false;
  if (last.body.delta.length >= EVENT_CHARACTERS) return false;
  last.body.delta += body.delta;
  return true;
}
