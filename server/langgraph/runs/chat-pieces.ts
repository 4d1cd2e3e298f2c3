/** Derives the pieces of LangGraph's stream for chat runs. Their log has no such pieces. */
import type { LogEntry, NewEntry } from '../../../state/threads/events.ts';
import type { StreamMode } from '../../../state/threads/runs.ts';

/** The stream modes that a chat run can have. */
export const CHAT_MODES: readonly StreamMode[] = ['values', 'updates', 'messages-tuple', 'custom', 'tools'];

/** Returns the entry, followed by the pieces that are derived from it. */
export function withPieces(entry: LogEntry): LogEntry[] {
  return [entry, ...piecesOf(entry).map((piece) => ({ ...piece, at: entry.at }))];
}

/** Returns the pieces that are derived from an entry. */
export function piecesOf(entry: LogEntry): NewEntry[] {
  const { ns = [], node = '' } = entry;
  switch (entry.kind) {
    case 'checkpoint':
      if (ns.length > 0 || entry.checkpointId === undefined) return [];
      return [{ kind: 'stream', body: { mode: 'values', checkpoint: entry.checkpointId } }];
    case 'task_end':
      if (entry.body.update === undefined || entry.body.part !== undefined) return [];
      return [
        {
          ...(ns.length > 0 && { ns }),
          kind: 'stream',
          body: { mode: 'updates', data: { [node]: entry.body.update } },
        },
      ];
    case 'interrupt': {
      const { interrupt_id: id, value } = entry.body;
      return ['updates', 'values'].map((mode) => ({
        kind: 'stream' as const,
        body: { mode, data: { __interrupt__: [{ id, value }] } },
      }));
    }
    case 'error':
      return [{ kind: 'thrown', body: { error: entry.body.error_code, message: entry.body.message } }];
    default:
      return [];
  }
}
