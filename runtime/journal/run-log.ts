/** A run's log: entries are numbered from 1, texts are joined, batches are stored, and any number of listeners can follow. */
import type { EventBatch, NewEntry, Urgency } from '../../state/threads/events.ts';
import type { AgentReport } from '../../state/threads/run-trace.ts';
import { type ChatEvent, chatEvent } from './chat-events.ts';
import type { EarlierEvents } from './earlier-events.ts';
import { pendingEntries } from './pending-entries.ts';
import { type RunProgress, runProgress, workFinished } from './run-progress.ts';
import type { View, ViewBatch } from './view.ts';

export interface RunLog {
  /** Appends an entry. The log takes ownership: it appends later text of the same message to the object. */
  emit(entry: NewEntry): void;
  /**
   * Returns all batches that are not known to be stored, with the run's last entries, so that they are stored in the
   * transaction of the run's end. The log itself stores nothing more. If the transaction fails, call it again, possibly
   * with other last entries.
   */
  ending(last: NewEntry[]): EventBatch[];
  agents(): AgentReport[];
  executions: RunProgress['executions'];
  record: RunProgress['record'];
  outputs: RunProgress['outputs'];
  asking: RunProgress['asking'];
  /** The usage of model calls that the entries report. */
  reported: RunProgress['reported'];
  /** The agents' text so far, as the conversation shows it. */
  text(): string;
  /**
   * Call it when the run gets a new lease: queued writes with the old lease would be rejected, so a new write takes their
   * entries. It also repeats what was stored while the run was queued: such writes don't wait for the disk, and a crash of
   * the database may have undone them.
   */
  claimed(): void;
  /** Closes the log. Without a reason, the batches of `ending` count as stored. */
  close(reason?: Error): void;
  /** Stores entries promptly until the returned function is called. */
  listen(): () => void;
  /** Another process has started to follow the run: stores the pending entries. */
  followed(): void;
  /** A view's stored batches after its number `after`; undefined if they must be read from the database. */
  since<Event>(view: View<Event>, after: number): ViewBatch<Event>[] | undefined;
  /** Set once the log is closed. */
  readonly closed: { reason: Error | undefined } | undefined;
  /** Resolves when the next batch is stored or the log is closed. */
  changed(): Promise<void>;
}

// Long enough to join tokens into batches, and too short to be a visible delay.
const JOIN_MS = 20;
// Entries that the chat API doesn't show wait for the next event: a checkpoint waits for the agent that starts from it.
const QUIET_MS = 100;
// Without a listener, only the end of an agent's work is stored immediately. A crash loses at most this much other output,
// which no client has received.
const UNHEARD_MS = 250;
const RETRY_MS = 500;
// A batch has at most 16 events of about 4 KB and the small entries between them, which limits the memory of a slow
// listener.
const BATCH_EVENTS = 16;
// The number of batches in memory, about half a second of tokens. A slower listener reads from the database.
const RECENT = 32;

/** Stores batches of the run under its lease: see `Events.append`. */
export type Append = (take: () => EventBatch[], urgency: Urgency) => Promise<void>;

export interface RunLogOptions {
  /** The log that an earlier process stored; the numbers continue after it. */
  earlier?: EarlierEvents | undefined;
  /** The run is queued: `claimed` will be called. */
  isQueued?: boolean;
  /** With a listener, stores each entry immediately and doesn't join tokens. */
  atOnce?: boolean;
  /** Whether another process follows the run. */
  isFollowed?: () => boolean;
}

export function runLog(
  append: Append,
  { earlier, isQueued = false, atOnce = false, isFollowed = () => false }: RunLogOptions = {},
): RunLog {
  const progress = earlier?.progress ?? runProgress();
  const pending = pendingEntries(earlier);
  /** Batches that are not known to be stored. */
  const cut: EventBatch[] = [];
  /** Batches that were stored while the run was queued. */
  let unclaimed: EventBatch[] | undefined = isQueued ? [] : undefined;
  let recent: EventBatch[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let quietTimer: ReturnType<typeof setTimeout> | undefined;
  let listeners = 0;
  let final: EventBatch | undefined;
  let closed: RunLog['closed'];
  let change = Promise.withResolvers<void>();

  /** The urgency of a requested write that has not taken its batches yet. */
  let queued: Urgency | undefined;
  /** The number of times that the run was claimed. */
  let claims = 0;
  const underWay = new Set<EventBatch>();
  const stored = new Set<EventBatch>();

  const isHeard = () => listeners > 0 || isFollowed();

  function cutPending(): void {
    stopTimers();
    const batch = pending.cut();
    if (batch) cut.push(batch);
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
    if (pending.count() + cut.length > 0) void write(urgency);
  }

  /** The write takes its batches when it is sent, so it includes all entries up to then. */
  async function write(urgency: Urgency): Promise<void> {
    const taken: EventBatch[] = [];
    const claim = claims;
    queued = urgency;
    try {
      await append(() => (claim === claims ? take(taken) : taken), urgency);
      confirm(...taken);
    } catch {
      // Retry, because a log must not have gaps.
      if (claim === claims) queued = undefined;
      timer ??= setTimeout(store, RETRY_MS);
    } finally {
      for (const batch of taken) underWay.delete(batch);
    }
  }

  /** Adds to `taken` the batches that no other write has taken; nothing once the run's end stores the rest. */
  function take(taken: EventBatch[]): EventBatch[] {
    queued = undefined;
    if (closed || final) return taken;
    cutPending();
    const free = cut.filter((batch) => !underWay.has(batch) && !stored.has(batch));
    for (const batch of free) underWay.add(batch);
    taken.push(...free);
    return taken;
  }

  /** Listeners are notified of a batch when all earlier ones are stored too. */
  function confirm(...batches: EventBatch[]): void {
    // After a claim, two writes may have the same batch.
    for (const batch of batches) if (cut.includes(batch)) stored.add(batch);
    const held = cut.findIndex((batch) => !stored.has(batch));
    const done = cut.splice(0, held < 0 ? cut.length : held);
    if (done.length === 0) return;
    for (const batch of done) stored.delete(batch);
    unclaimed?.push(...done);
    const earlierOnes = recent.filter(({ first }) => first < (done[0]?.first ?? 0));
    recent = listeners > 0 ? [...earlierOnes, ...done].slice(-RECENT) : [];
    announce();
  }

  function announce(): void {
    const { resolve } = change;
    change = Promise.withResolvers<void>();
    resolve();
  }

  /** Schedules the write of the entry that was emitted last. */
  function plan(entry: NewEntry, event: ChatEvent | undefined, isFirst: boolean): void {
    // Queued before the task's own writes to the checkpoint: if those are stored, so is the text of the task.
    if (workFinished(entry) || pending.count() === 0) store();
    else if (!isHeard()) timer ??= setTimeout(store, UNHEARD_MS);
    else if (atOnce) queueMicrotask(store);
    else if (!event) planQuietly();
    else if (isFirst || entry.kind !== 'message') queueMicrotask(store);
    else timer ??= setTimeout(store, JOIN_MS);
  }

  /** Stores an entry that chat doesn't show together with the next event, or after a short delay if no event follows. */
  function planQuietly(): void {
    if (pending.countInChat() === 0) quietTimer ??= setTimeout(store, QUIET_MS);
  }

  return {
    emit(entry) {
      const event = chatEvent(entry);
      const isFirst = progress.note(entry);
      pending.add(entry, event);
      if (event) stopQuietTimer();
      if (pending.countInChat() >= BATCH_EVENTS) cutPending();
      plan(entry, event, isFirst);
    },
    ending(last) {
      stopTimers();
      final = pending.endingWith(last);
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
      const again = unclaimed ?? [];
      unclaimed = undefined;
      cut.unshift(...again);
      // A write that is under way has the old lease, so it may be rejected. If a later batch were stored before its batches
      // are stored again, a crash in between would leave a gap in the log.
      underWay.clear();
      if (queued === undefined && cut.length === 0) return;
      queued = undefined;
      store();
    },
    close(reason) {
      stopTimers();
      closed = { reason };
      if (!reason && final) {
        pending.continueAfter(final);
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
      const lastStored = view.of(cut[0] ?? pending.empty()).first - 1;
      return after >= lastStored ? [] : undefined;
    },
    get closed() {
      return closed;
    },
    changed: () => change.promise,
  };
}
