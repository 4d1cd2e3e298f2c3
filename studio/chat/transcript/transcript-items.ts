/** The items of a transcript, in order: the messages, and the failed turns between them. */
import type { Message, RunHead } from '../../data/threads/threads.ts';

export type TranscriptItem =
  | { kind: 'message'; key: string; at: string; message: Message }
  | { kind: 'failed'; key: string; at: string; run: RunHead };

/** Merges the messages (oldest first) and failed runs (newest first). Omits runs older than the loaded messages. */
export function transcriptOf(messages: Message[], failed: RunHead[], hasOlder = false): TranscriptItem[] {
  const from = hasOlder ? (messages[0]?.created_at ?? '') : '';
  const messageItems = messages.map(
    (message): TranscriptItem => ({
      kind: 'message',
      key: message.message_id,
      at: message.created_at,
      message,
    }),
  );
  const failedItems = failed
    .filter(({ created_at }) => created_at >= from)
    .map((run): TranscriptItem => ({ kind: 'failed', key: run.run_id, at: run.created_at, run }));
  return [...messageItems, ...failedItems].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
