/** Streams a run's answer: selects the texts of its log that become part of `agentResponse`. */
import { type LogEntry, taskRefOf } from '../../state/threads/events.ts';
import { type AnswerDeltas, PARAGRAPH } from './answer-deltas.ts';
import { blockAnswer } from './block-answer.ts';
import { lastAnswer } from './last-answer.ts';

/**
 * How an answer is composed. `only`: the response of one agent; `blocks`: a block for each agent, in the order in which
 * they finish; `last`: the last message, streamed only for nodes after which no other node produces text.
 */
export type AnswerSources =
  | { kind: 'only'; agent: string }
  | { kind: 'blocks'; agents: ReadonlySet<string> }
  /** `path`: the names of the enclosing nodes, the outermost first, then the node's own. */
  | { kind: 'last'; isLast: (path: string[]) => boolean };

export interface AnswerText {
  add: AnswerDeltas;
  /** The part of the whole answer that was not streamed, for the end of the run. */
  rest(answer: string): string;
  /**
   * The same for a client that shows a turn and the runs that resume it as one message. `waits`: the turn was interrupted. Text
   * that the client has already or will get again from the run that resumes the turn is left out.
   */
  restOfMessage(answer: string, waits: boolean): string;
}

/** `resumes`: the run answers an interrupt, so its answer may begin with blocks of an earlier run. */
export function answerText(sources: AnswerSources, { resumes = false } = {}): AnswerText {
  const deltas = resumes && sources.kind === 'blocks' ? () => '' : deltasOf(sources);
  let sent = '';
  let hasSpoken = false;
  /** Trailing white space is held back until more text follows, because the stored response may be trimmed. */
  let blanks = '';
  return {
    add(entry) {
      hasSpoken ||= entry.kind === 'message';
      const text = blanks + deltas(entry);
      const added = text.trimEnd();
      blanks = text.slice(added.length);
      sent += added;
      return added;
    },
    rest: (answer) => restOf(answer, sent),
    restOfMessage(answer, waits) {
      // The last message may be one of the run that was interrupted.
      if (sources.kind === 'last' && (waits || resumes)) return hasSpoken ? restOf(answer, sent) : '';
      // The response of an interrupted turn has the blocks of finished agents, which the response of the resumed turn repeats.
      return waits ? '' : restOf(answer, sent);
    },
  };
}

function deltasOf(sources: AnswerSources): AnswerDeltas {
  switch (sources.kind) {
    case 'only':
      return lastAnswer((entry) => taskRefOf(entry).agent === sources.agent);
    case 'blocks':
      return blockAnswer(sources.agents);
    case 'last':
      return lastAnswer((entry) => sources.isLast(pathOf(entry)));
  }
}

function pathOf({ ns = [], node = '' }: LogEntry): string[] {
  return [...ns.map((task) => task.slice(0, task.lastIndexOf(':'))), node];
}

/**
 * Streamed text can't be withdrawn. If the answer differs from it, because a model call was retried or a later step changed
 * the answer, the answer is repeated from the first line that differs.
 */
function restOf(answer: string, sent: string): string {
  if (answer.startsWith(sent)) return answer.slice(sent.length);
  if (sent.endsWith(answer)) return '';
  let same = 0;
  while (same < answer.length && answer[same] === sent[same]) same++;
  return PARAGRAPH + answer.slice(answer.lastIndexOf('\n', same - 1) + 1);
}
