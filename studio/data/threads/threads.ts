/** Threads: list, read, messages, runs, rename and delete. */
import { api, ask } from '../../service/service.ts';

// Multiples of the size of a group in the transcript, so that older messages don't shift the groups that are shown.
const PAGE = '96';
const NEWEST = '48';

export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';

export interface ThreadFilter {
  q?: string | undefined;
  status?: ThreadStatus | undefined;
  workflow?: string | undefined;
}

const at = (thread: string) => api.threads({ thread_id: encodeURIComponent(thread) });

export const listThreads = (filter: ThreadFilter, cursor?: string) =>
  ask(api.threads.get({ query: { ...omitEmpty(filter), limit: '40', ...omitEmpty({ cursor }) } }));

export type ThreadEntry = Awaited<ReturnType<typeof listThreads>>['threads'][number];

export const readThread = (thread: string) => ask(at(thread).get());

export type Thread = Awaited<ReturnType<typeof readThread>>;

/** A thread with its latest runs, as many as a conversation shows. */
export const readThreadWithRuns = (thread: string) => ask(at(thread).get({ query: { include: 'runs' } }));

export type RunHead = NonNullable<Awaited<ReturnType<typeof readThreadWithRuns>>['runs']>[number];

const messagesBefore = (thread: string, cursor: string | undefined, limit: string) =>
  ask(at(thread).messages.get({ query: { order: 'newest_first', limit, ...omitEmpty({ cursor }) } }));

export type Message = Awaited<ReturnType<typeof messagesBefore>>['messages'][number];

export interface MessageList {
  /** Reads the latest messages. Returns them and the older ones that were already read, oldest first. */
  readNewest(thread: string): Promise<Message[]>;
  /** Reads a page of older messages. Returns all messages, oldest first. */
  readOlder(thread: string): Promise<Message[]>;
  readonly hasOlder: boolean;
}

export function messageList(): MessageList {
  const before = new Map<string, { text: string; message: Message }>();
  /** Newest first. */
  let known: Message[] = [];
  let older: string | null = null;

  /** Returns the previous object if the message hasn't changed, so that its component doesn't render again. */
  function sameAsBefore(message: Message): Message {
    const text = JSON.stringify(message);
    const found = before.get(message.message_id);
    if (found?.text === text) return found.message;
    before.set(message.message_id, { text, message });
    return message;
  }

  return {
    async readNewest(thread) {
      const page = await messagesBefore(thread, undefined, NEWEST);
      const newest = page.messages.map(sameAsBefore);
      const last = newest.at(-1);
      const at = known.findIndex((one) => one.message_id === last?.message_id);
      // Without an overlap, messages between the two would be missing, so drop the older ones.
      if (at < 0) older = page.next_cursor;
      known = at < 0 ? newest : [...newest, ...known.slice(at + 1)];
      return known.toReversed();
    },
    async readOlder(thread) {
      if (older === null) return known.toReversed();
      const page = await messagesBefore(thread, older, PAGE);
      older = page.next_cursor;
      known = [...known, ...page.messages.map(sameAsBefore)];
      return known.toReversed();
    },
    get hasOlder() {
      return older !== null;
    },
  };
}

/** All messages of a thread, oldest first. */
export async function readAllMessages(thread: string): Promise<Message[]> {
  const list = messageList();
  let messages = await list.readNewest(thread);
  while (list.hasOlder) messages = await list.readOlder(thread);
  return messages;
}

export const listThreadRuns = (thread: string, cursor?: string) =>
  ask(at(thread).runs.get({ query: { limit: '50', ...omitEmpty({ cursor }) } }));

export const renameThread = (thread: string, title: string) => ask(at(thread).patch({ title }));

export async function deleteThread(thread: string): Promise<void> {
  await ask(at(thread).delete());
}

/** Omits undefined and empty parameters, because the service rejects empty ones. */
export function omitEmpty<T extends object>(query: T) {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
