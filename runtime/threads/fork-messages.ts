/** The conversation of a fork: the copied messages that change with its state, and the added ones. */
import type { BaseMessage } from '@langchain/core/messages';
import type { DraftMessage, NewFork } from '../../state/threads/archive.ts';

type Changes = Pick<NewFork, 'changed' | 'added'>;

const ROLES: Record<string, DraftMessage['role']> = { human: 'user', ai: 'assistant' };

/**
 * `window`: the messages of the state before the change; `newest`: the copied messages, newest first; `given`: the
 * messages that are merged into the state. A given message with the id of one in the window replaces that text in the
 * copied message that contains it; any other one is added.
 */
export function changedMessages(
  window: BaseMessage[],
  newest: DraftMessage[],
  given: BaseMessage[],
): Changes {
  const changed = new Map<string, DraftMessage>();
  /** By the id in the state: the last of several messages with the same id counts. */
  const added = new Map<string, Changes['added'][number]>();
  for (const message of given) {
    const index = window.findIndex(({ id }) => id === message.id);
    const old = window[index];
    const role = ROLES[message.getType()];
    if (old) {
      const holder = holderOf(old, window.slice(index + 1), newest);
      if (!holder) continue;
      const before = changed.get(holder.messageId) ?? holder;
      changed.set(holder.messageId, {
        ...replaced(before, old.text, message.text),
        role: role ?? before.role,
      });
    } else if (role)
      added.set(message.id ?? '', { messageId: Bun.randomUUIDv7(), role, content: message.text });
  }
  return { changed: [...changed.values()], added: [...added.values()] };
}

/** The conversation of a fork whose messages are only in its state. */
export function copiedMessages(messages: BaseMessage[]): Changes {
  const added = messages.flatMap((message) => {
    const role = ROLES[message.getType()];
    if (!role || message.text === '') return [];
    return [{ messageId: Bun.randomUUIDv7(), role, content: message.text }];
  });
  return { changed: [], added };
}

/** The copied message that contains `message`. Skips as many matches as there are later messages with the same text. */
function holderOf(
  message: BaseMessage,
  later: BaseMessage[],
  newest: DraftMessage[],
): DraftMessage | undefined {
  const { text } = message;
  const role = ROLES[message.getType()];
  const holders = newest.filter((one) => one.status === 'complete' && one.role === role && holds(one, text));
  return holders[later.filter((one) => ROLES[one.getType()] === role && one.text.includes(text)).length];
}

function holds({ content }: DraftMessage, text: string): boolean {
  return text !== '' && content.includes(text);
}

function replaced(message: DraftMessage, text: string, by: string): DraftMessage {
  const change = (content: string) => content.replace(text, () => by);
  const outputs = message.outputs?.map((output) => ({ ...output, content: change(output.content) })) ?? null;
  return { ...message, content: change(message.content), outputs };
}
