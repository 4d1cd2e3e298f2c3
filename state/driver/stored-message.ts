/** Converts rows of messages for readers and forks. */
import type { DraftMessage, StoredMessage } from '../threads/archive.ts';

export interface StoredMessageRow {
  seq: number;
  message_id: string;
  role: 'user' | 'assistant';
  content: string;
  status: 'complete' | 'cancelled';
  run_id: string;
  workflow: string;
  created_at: number;
  token_count: number | null;
  outputs: string | null;
  feedback: string | null;
}

export type DraftRow = Pick<StoredMessageRow, 'message_id' | 'role' | 'content' | 'status' | 'outputs'>;

export function toStoredMessage(row: StoredMessageRow): StoredMessage {
  return {
    messageId: row.message_id,
    role: row.role,
    content: row.content,
    status: row.status,
    runId: row.run_id,
    workflow: row.workflow,
    createdAt: row.created_at,
    tokenCount: row.token_count,
    outputs: row.outputs === null ? [] : JSON.parse(row.outputs),
    feedback: row.feedback === null ? null : JSON.parse(row.feedback),
  };
}

export function toDraftMessage({ message_id, role, content, status, outputs }: DraftRow): DraftMessage {
  return {
    messageId: message_id,
    role,
    content,
    status,
    outputs: outputs === null ? null : JSON.parse(outputs),
  };
}
