/** Threads: their list, one, its messages, its runs, and what is done to them. */
import { api, ask } from '../service.ts';

const PAGE = '100';

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

const messagesAfter = (thread: string, cursor: string | undefined) =>
  ask(at(thread).messages.get({ query: { limit: PAGE, ...given({ cursor }) } }));

export type Message = Awaited<ReturnType<typeof messagesAfter>>['messages'][number];

/**
 * Reads a thread's messages, oldest first: the list has no other order, and the newest are what people look at. Reading
 * again asks for the last page alone.
 */
export function messagesFrom(): { read(thread: string): Promise<Message[]> } {
  const before = new Map<string, { text: string; message: Message }>();

  /** The object that was given before, where nothing in it has changed: what shows it need not draw it anew. */
  function sameAsBefore(message: Message): Message {
    const text = JSON.stringify(message);
    const known = before.get(message.message_id);
    if (known?.text === text) return known.message;
    before.set(message.message_id, { text, message });
    return message;
  }

  let pages: { cursor: string | undefined; messages: Message[] }[] = [];
  return {
    async read(thread) {
      const known = pages.slice(0, -1);
      let cursor = pages.at(-1)?.cursor;
      do {
        const page = await messagesAfter(thread, cursor);
        known.push({ cursor, messages: page.messages.map(sameAsBefore) });
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      pages = known;
      return pages.flatMap(({ messages }) => messages);
    },
  };
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
