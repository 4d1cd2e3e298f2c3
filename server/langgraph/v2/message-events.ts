/** The messages of a run, each begun and ended, as events of the task that tells them. */
import type { LogEntry, NewEntry } from '../../../state/events.ts';
import { messageEvents } from './content-blocks.ts';
import type { Unnumbered } from './event.ts';

interface OpenMessage {
  of: ReturnType<typeof messageEvents>;
  namespace: string[];
  node: string | undefined;
  taskId: string | undefined;
}

export interface MessagesOfRun {
  /** What an entry ends: the log has no end of a message, so it ends with its task. */
  before(entry: LogEntry): Unnumbered[];
  of(entry: Extract<LogEntry, { kind: 'message' }>): Unnumbered[];
  /** The run has ended; `error`: it failed. */
  end(error?: string): Unnumbered[];
}

const AGAIN = 'The node runs again';

export function messagesOf(): MessagesOfRun {
  const open = new Map<string, OpenMessage>();

  function endAll(isOver: (told: OpenMessage) => boolean, error?: string): Unnumbered[] {
    return [...open].flatMap(([key, told]) => {
      if (!isOver(told)) return [];
      open.delete(key);
      return eventsOf(told, told.of.end(error));
    });
  }

  return {
    before({ kind, taskId, ns = [], body }) {
      if (kind !== 'task_end' && kind !== 'task') return [];
      const isWithin = (told: OpenMessage) =>
        told.taskId === taskId ||
        (told.namespace.length > ns.length && told.namespace[ns.length]?.endsWith(`:${taskId}`));
      const isOver = (told: OpenMessage) => taskId !== undefined && Boolean(isWithin(told));
      if (kind === 'task') return (body.attempt ?? 1) > 1 ? endAll(isOver, AGAIN) : [];
      return endAll(isOver, body.state === 'failed' ? (body.error?.message ?? 'The node failed') : undefined);
    },
    of(entry) {
      const { body, node, taskId } = entry;
      const key = body.id ?? `${taskId ?? ''}`;
      const known = open.get(key);
      const told = known ?? { of: messageEvents(key), namespace: taskOf(entry), node, taskId };
      open.set(key, told);
      return eventsOf(told, told.of.push(body));
    },
    end: (error) => endAll(() => true, error),
  };
}

function eventsOf({ namespace, node }: OpenMessage, all: Record<string, unknown>[]): Unnumbered[] {
  return all.map((data) => ({ method: 'messages', namespace, node, data: () => data }));
}

/** The task that an entry tells of, as the namespace of what happens in it. */
export function taskOf({ ns = [], node, taskId }: NewEntry): string[] {
  return node === undefined || taskId === undefined ? ns : [...ns, `${node}:${taskId}`];
}
