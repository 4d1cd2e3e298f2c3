/** What is shown of a thread, in its order: the messages, and the turns that failed between them. */
import type { Run } from '../data/runs.ts';
import type { Message } from '../data/threads.ts';

export type TranscriptItem =
  | { kind: 'message'; key: string; at: string; message: Message }
  | { kind: 'failed'; key: string; at: string; run: Run };

/** Both lists are in order: messages oldest first, runs newest first. */
export function transcriptOf(messages: Message[], failed: Run[]): TranscriptItem[] {
  const said = messages.map(
    (message): TranscriptItem => ({
      kind: 'message',
      key: message.message_id,
      at: message.created_at,
      message,
    }),
  );
  const lost = failed.map(
    (run): TranscriptItem => ({ kind: 'failed', key: run.run_id, at: run.created_at, run }),
  );
  return [...said, ...lost].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
