/** Streams the answer of a graph that ends with a message: the messages of nodes that can be the last, one at a time. */
import { type LogEntry, taskRefOf } from '../../state/threads/events.ts';
import { type AnswerDeltas, PARAGRAPH } from './answer-deltas.ts';

interface Message {
  key: string;
  task: string;
  text: string;
}

/** `isHeard`: whether an entry belongs to a node that can end the graph. */
export function lastAnswer(isHeard: (entry: LogEntry) => boolean): AnswerDeltas {
  let hasSpoken = false;
  let current: Message | undefined;
  /** Messages that began while another one was being streamed. */
  let waiting: Message[] = [];

  function addMessage(entry: Extract<LogEntry, { kind: 'message' }>): string {
    const { delta, id } = entry.body;
    if (delta === '' || !isHeard(entry)) return '';
    const task = taskRefOf(entry).id;
    const key = `${task} ${id}`;
    if (current?.key === key) return delta;
    // A further message of the same task follows immediately; one of another task waits.
    if (current && current.task !== task) return buffered(key, task, delta);
    return begun({ key, task, text: delta });
  }

  function buffered(key: string, task: string, delta: string): string {
    const known = waiting.find((one) => one.key === key);
    if (known) known.text += delta;
    else waiting.push({ key, task, text: delta });
    return '';
  }

  function begun(message: Message): string {
    const text = `${hasSpoken ? PARAGRAPH : ''}${message.text}`;
    current = message;
    hasSpoken = true;
    return text;
  }

  function ended(taskId: string): string {
    waiting = waiting.filter(({ task }) => task !== taskId);
    if (current?.task !== taskId) return '';
    current = undefined;
    const next = waiting.shift();
    return next ? begun(next) : '';
  }

  return (entry) => {
    if (entry.kind === 'message') return addMessage(entry);
    return entry.kind === 'task_end' && entry.body.part === undefined ? ended(taskRefOf(entry).id) : '';
  };
}
