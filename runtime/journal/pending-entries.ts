/** The newest entries of a run's log, which are in no batch yet. Joins texts of the same message and numbers the batches. */
import type { EventBatch, LogEntry, NewEntry } from '../../state/threads/events.ts';
import { type ChatEvent, chatEvents, EVENT_CHARACTERS, joined, type ShownEntry } from './chat-events.ts';
import type { EarlierEvents } from './earlier-events.ts';

export interface PendingEntries {
  /** Adds an entry, or appends its text to the last one. `event`: its event in chat. */
  add(entry: NewEntry, event: ChatEvent | undefined): void;
  /** The number of entries. */
  count(): number;
  /** The number of their chat events. */
  countInChat(): number;
  /** Takes the entries as a batch; undefined if there are none. */
  cut(): EventBatch | undefined;
  /** A batch of the entries and the run's last ones. Takes nothing. */
  endingWith(last: NewEntry[]): EventBatch;
  /** Numbers the next batch after this one. */
  continueAfter(batch: EventBatch): void;
  /** A batch without entries at the position of the next one. */
  empty(): EventBatch;
}

/** `earlier`: the log that an earlier process stored; the numbers continue after it. */
export function pendingEntries(earlier: Pick<EarlierEvents, 'last' | 'chat'> | undefined): PendingEntries {
  let entries: LogEntry[] = [];
  /** The chat events of `entries`. They are joined independently of the entries that chat doesn't show. */
  let shown: ShownEntry[] = [];
  let next = (earlier?.last ?? 0) + 1;
  let nextInChat = (earlier?.chat ?? 0) + 1;

  function batchOf(all: LogEntry[], inChat: number): EventBatch {
    const chat = { first: nextInChat, last: nextInChat + inChat - 1 };
    return { first: next, last: next + all.length - 1, chat, entries: all };
  }

  function continueAfter({ last, chat }: EventBatch): void {
    next = last + 1;
    nextInChat = chat.last + 1;
  }

  return {
    add(entry, event) {
      const added = event && { event, taskId: entry.taskId };
      const isJoined = added !== undefined && joined(shown.at(-1), added);
      const mayJoin = isJoined || entry.kind === 'reasoning';
      if (!mayJoin || !continued(entries.at(-1), entry)) entries.push({ at: Date.now(), ...entry });
      if (added && !isJoined) shown.push(added);
    },
    count: () => entries.length,
    countInChat: () => shown.length,
    cut() {
      if (entries.length === 0) return undefined;
      const batch = batchOf(entries, shown.length);
      continueAfter(batch);
      entries = [];
      shown = [];
      return batch;
    },
    endingWith(last) {
      const at = Date.now();
      const ends = last.map((entry) => ({ at, ...entry }));
      return batchOf([...entries, ...ends], shown.length + chatEvents(ends).length);
    },
    continueAfter,
    empty: () => batchOf([], 0),
  };
}

/** Appends text to the last entry if that is text of the same message. Returns whether it did. */
function continued(last: LogEntry | undefined, entry: NewEntry): boolean {
  if (entry.kind === 'reasoning') return thoughtOn(last, entry);
  if (entry.kind !== 'message' || last?.kind !== 'message') return false;
  if (last.taskId !== entry.taskId || last.body.id !== entry.body.id) return false;
  if (last.body.chunk || entry.body.chunk) return false;
  last.body.delta += entry.body.delta;
  return true;
}

/** Appends reasoning to the last entry if that is reasoning of the same message. Returns whether it did. */
function thoughtOn(
  last: LogEntry | undefined,
  { taskId, body }: Extract<NewEntry, { kind: 'reasoning' }>,
): boolean {
  if (last?.kind !== 'reasoning' || last.taskId !== taskId || last.body.id !== body.id) return false;
  if (last.body.delta.length >= EVENT_CHARACTERS) return false;
  last.body.delta += body.delta;
  return true;
}
