/** Threads: their list, one, its messages, its runs, and what is done to them. */
import { api, ask } from '../service.ts';

// Multiples of what is drawn together: older messages leave the groups of those that are there as they are.
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
  ask(api.threads.get({ query: { ...given(filter), limit: '40', ...given({ cursor }) } }));

export type ThreadEntry = Awaited<ReturnType<typeof listThreads>>['threads'][number];

export const readThread = (thread: string) => ask(at(thread).get());

export type Thread = Awaited<ReturnType<typeof readThread>>;

/** With its newest runs, as far as a conversation shows them. */
export const readThreadWithRuns = (thread: string) => ask(at(thread).get({ query: { include: 'runs' } }));

export type RunHead = NonNullable<Awaited<ReturnType<typeof readThreadWithRuns>>['runs']>[number];

const messagesBefore = (thread: string, cursor: string | undefined, limit: string) =>
  ask(at(thread).messages.get({ query: { order: 'newest_first', limit, ...given({ cursor }) } }));

export type Message = Awaited<ReturnType<typeof messagesBefore>>['messages'][number];

export interface MessageList {
  /** The newest, and the older ones that were read; oldest first. */
  readNewest(thread: string): Promise<Message[]>;
  /** With a page of older ones. */
  readOlder(thread: string): Promise<Message[]>;
  readonly hasOlder: boolean;
}

export function messageList(): MessageList {
  const before = new Map<string, { text: string; message: Message }>();
  /** Newest first. */
  let known: Message[] = [];
  let older: string | null = null;

  /** The object that was given before, where nothing in it has changed: what shows it need not draw it anew. */
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
      // What lies between would be missing where they do not meet.
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

/** All of them, oldest first. */
export async function readAllMessages(thread: string): Promise<Message[]> {
  const list = messageList();
  let messages = await list.readNewest(thread);
  while (list.hasOlder) messages = await list.readOlder(thread);
  return messages;
}

export const listThreadRuns = (thread: string, cursor?: string) =>
  ask(at(thread).runs.get({ query: { limit: '50', ...given({ cursor }) } }));

export const renameThread = (thread: string, title: string) => ask(at(thread).patch({ title }));

export async function deleteThread(thread: string): Promise<void> {
  await ask(at(thread).delete());
}

/** Leaves out what is not said: the service takes no empty parameter. */
export function given<T extends object>(query: T) {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
