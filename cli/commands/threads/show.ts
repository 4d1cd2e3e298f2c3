/** `skein threads show`: a conversation, its status, and the questions that it waits for. */

import { ask, type Connection } from '../../service/connect.ts';
import { print } from '../../terminal/print.ts';
import { shown, styleFor } from '../../terminal/style.ts';
import type { FoundThread } from '../chat/conversation.ts';
import { waitingText, waits } from '../chat/interrupt/waiting.ts';

interface Message {
  role: string;
  content: string;
  created_at: string;
}

export async function showThread(connection: Connection, id: string, isJson: boolean): Promise<void> {
  const path = `/api/v1/threads/${encodeURIComponent(id)}`;
  const thread = JSON.parse(await ask(connection, path)) as FoundThread & { status: string };
  const messages = await messagesOf(connection, path);
  if (isJson) return print(JSON.stringify({ ...thread, messages }));
  const style = styleFor(process.stdout, process.env);
  const title = shown(thread.title.replaceAll(/\s+/g, ' '));
  print(`${style.bold(shown(id))}  ${thread.workflow}  ${thread.status}  ${title}\n`);
  for (const { role, content, created_at } of messages) {
    print(`${style.bold(role === 'user' ? 'you' : 'skein')} ${style.dim(created_at)}`);
    print(`${shown(content)}\n`);
  }
  if (waits(thread)) print(waitingText(thread, id));
}

async function messagesOf(connection: Connection, path: string): Promise<Message[]> {
  const messages: Message[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = `limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const text = await ask(connection, `${path}/messages?${page}`);
    const body = JSON.parse(text) as { messages: Message[]; next_cursor: string | null };
    messages.push(...body.messages);
    cursor = body.next_cursor;
  }
  return messages;
}
