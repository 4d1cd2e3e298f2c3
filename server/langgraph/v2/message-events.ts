/** Converts the messages of a run to events, and finishes each message when its task ends. */
import type { LogEntry, NewEntry } from '../../../state/threads/events.ts';
import { messageEvents } from './content-blocks.ts';
import type { UnnumberedEvent } from './event.ts';

interface OpenMessage {
  events: ReturnType<typeof messageEvents>;
  namespace: string[];
  node: string | undefined;
  taskId: string | undefined;
}

export interface MessageTracker {
  /**
   * Call with every entry, before `of`. Returns the events that finish messages: the log has no entry for the end of a
   * message, so messages end with their task.
   */
  before(entry: LogEntry): UnnumberedEvent[];
  of(entry: Extract<LogEntry, { kind: 'message' }>): UnnumberedEvent[];
  /** Finishes all messages at the end of the run. `error`: why the run failed. */
  end(error?: string): UnnumberedEvent[];
}

const RETRIED = 'The node was retried';

export function trackMessages(): MessageTracker {
  const open = new Map<string, OpenMessage>();

  function endAll(isOver: (message: OpenMessage) => boolean, error?: string): UnnumberedEvent[] {
    return [...open].flatMap(([key, message]) => {
      if (!isOver(message)) return [];
      open.delete(key);
      return eventsOf(message, message.events.end(error));
    });
  }

  return {
    before({ kind, taskId, ns = [], body }) {
      if (kind !== 'task_end' && kind !== 'task') return [];
      const isWithin = (message: OpenMessage) =>
        message.taskId === taskId ||
        (message.namespace.length > ns.length && message.namespace[ns.length]?.endsWith(`:${taskId}`));
      const isOver = (message: OpenMessage) => taskId !== undefined && Boolean(isWithin(message));
      if (kind === 'task') return (body.attempt ?? 1) > 1 ? endAll(isOver, RETRIED) : [];
      return endAll(isOver, body.state === 'failed' ? (body.error?.message ?? 'The node failed') : undefined);
    },
    of(entry) {
      const { body, node, taskId } = entry;
      const key = body.id ?? `${taskId ?? ''}`;
      const message = open.get(key) ?? {
        events: messageEvents(key),
        namespace: taskOf(entry),
        node,
        taskId,
      };
      open.set(key, message);
      return eventsOf(message, message.events.push(body));
    },
    end: (error) => endAll(() => true, error),
  };
}

function eventsOf({ namespace, node }: OpenMessage, all: Record<string, unknown>[]): UnnumberedEvent[] {
  return all.map((data) => ({ method: 'messages', namespace, node, data: () => data }));
}

/** The namespace of the entry's task, which is the namespace of events inside the task. */
export function taskOf({ ns = [], node, taskId }: NewEntry): string[] {
  return node === undefined || taskId === undefined ? ns : [...ns, `${node}:${taskId}`];
}
