/** The text of a run's answer as it comes: what of the texts in its log becomes `agentResponse`. */
import { type LogEntry, workingOf } from '../../state/events.ts';
import { type AnswerDeltas, PARAGRAPH } from './answer-deltas.ts';
import { blockAnswer } from './block-answer.ts';
import { lastAnswer } from './last-answer.ts';

/**
 * How an answer is made of what agents say. `only`: one agent's response; `blocks`: a block for each agent, in the order
 * they finish; `last`: the last message, which is certain of nodes after which no other speaks.
 */
export type Speakers =
  | { kind: 'only'; agent: string }
  | { kind: 'blocks'; agents: ReadonlySet<string> }
  /** `path`: the names of the nodes around it, the outermost first, and its own. */
  | { kind: 'last'; isLast: (path: string[]) => boolean };

export interface AnswerText {
  add: AnswerDeltas;
  /** What is left to say of the whole answer when the run has ended. */
  rest(answer: string): string;
}

/** `resumes`: the run answers an interrupt, so that its answer may begin with blocks of an earlier run. */
export function answerText(speakers: Speakers, { resumes = false } = {}): AnswerText {
  const saying = resumes && speakers.kind === 'blocks' ? () => '' : sayingOf(speakers);
  let said = '';
  /** Blanks at the end wait for more: a response may have lost them. */
  let blanks = '';
  return {
    add(entry) {
      const text = blanks + saying(entry);
      const added = text.trimEnd();
      blanks = text.slice(added.length);
      said += added;
      return added;
    },
    rest: (answer) => restOf(answer, said),
  };
}

function sayingOf(speakers: Speakers): AnswerDeltas {
  switch (speakers.kind) {
    case 'only':
      return lastAnswer((entry) => workingOf(entry).agent === speakers.agent);
    case 'blocks':
      return blockAnswer(speakers.agents);
    case 'last':
      return lastAnswer((entry) => speakers.isLast(pathOf(entry)));
  }
}

function pathOf({ ns = [], node = '' }: LogEntry): string[] {
  return [...ns.map((task) => task.slice(0, task.lastIndexOf(':'))), node];
}

/**
 * What has been said cannot be taken back. Where the answer is another one, because a model call was retried or a later step has
 * changed it, the answer follows from the line where the two part.
 */
function restOf(answer: string, said: string): string {
  if (answer.startsWith(said)) return answer.slice(said.length);
  if (said.endsWith(answer)) return '';
  let same = 0;
  while (same < answer.length && answer[same] === said[same]) same++;
  return PARAGRAPH + answer.slice(answer.lastIndexOf('\n', same - 1) + 1);
}
