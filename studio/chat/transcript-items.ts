/** What is shown of a thread, in its order: the messages, and the turns that failed between them. */
import type { Message, RunHead } from '../data/threads.ts';

export type TranscriptItem =
  | { kind: 'message'; key: string; at: string; message: Message }
  | { kind: 'failed'; key: string; at: string; run: RunHead };

/** Both lists are in order: messages oldest first, runs newest first. Where older messages are not read yet, nor are older runs shown. */
export function transcriptOf(messages: Message[], failed: RunHead[], hasOlder = false): TranscriptItem[] {
  const from = hasOlder ? (messages[0]?.created_at ?? '') : '';
  const said = messages.map(
    (message): TranscriptItem => ({
      kind: 'message',
      key: message.message_id,
      at: message.created_at,
      message,
    }),
  );
  const lost = failed
    .filter(({ created_at }) => created_at >= from)
    .map((run): TranscriptItem => ({ kind: 'failed', key: run.run_id, at: run.created_at, run }));
  return [...said, ...lost].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
