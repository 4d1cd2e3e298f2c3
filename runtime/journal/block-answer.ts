/** Streams the answer of several agents: a block for each, in the order in which they finish. See `responseText`. */
import { type LogEntry, taskRefOf } from '../../state/threads/events.ts';
import { type AnswerDeltas, PARAGRAPH } from './answer-deltas.ts';

interface Block {
  agent: string;
  content: string;
}

/** If only one agent responds, its text has no name before it. So the first block is held back until a second begins. */
export function blockAnswer(agents: ReadonlySet<string>): AnswerDeltas {
  /** The agents that are executing, by the id of their task. */
  const open = new Map<string, Block>();
  let finished = 0;
  /** Finished blocks that have not been streamed. */
  let held: Block[] = [];
  /** The task id of the agent whose text is being streamed. */
  let speaking: string | undefined;
  /** Agents run in parallel, or a response differs from its stream: the rest of the answer is known at the run's end. */
  let isUncertain = false;

  function began(id: string, agent: string): string {
    open.set(id, { agent, content: '' });
    isUncertain ||= open.size > 1;
    return '';
  }

  function addDelta(id: string, delta: string): string {
    const block = open.get(id);
    if (!block) return '';
    block.content += delta;
    if (isUncertain || finished === 0) return '';
    if (speaking === id) return delta;
    speaking = id;
    return withHeld([block]);
  }

  function ended(id: string, response: string | undefined): string {
    const block = open.get(id);
    if (!block) return '';
    open.delete(id);
    finished++;
    const content = response ?? block.content;
    if (speaking === id) {
      speaking = undefined;
      if (content.startsWith(block.content)) return content.slice(block.content.length);
      isUncertain = true;
      return '';
    }
    held.push({ ...block, content });
    return isUncertain || finished === 1 ? '' : withHeld([]);
  }

  function withHeld(more: Block[]): string {
    const text = [...held, ...more].map(({ agent, content }) => `${agent}: ${content}`).join(PARAGRAPH);
    const isFirst = held.length === finished;
    held = [];
    return isFirst ? text : PARAGRAPH + text;
  }

  return (entry: LogEntry) => {
    const { id, agent } = taskRefOf(entry);
    if (!agents.has(agent)) return '';
    if (entry.kind === 'message') return addDelta(id, entry.body.delta);
    if (entry.kind !== 'task' && entry.kind !== 'task_end') return '';
    if (entry.body.part !== undefined) return '';
    if (entry.kind === 'task') return began(id, agent);
    if (entry.body.state === 'finished') return ended(id, entry.body.response);
    open.delete(id);
    return '';
  };
}
