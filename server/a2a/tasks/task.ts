/** A task as A2A has it, of its runs. */
import { type Artifact, type Message, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { EndedRun } from '../../../runtime/run/ended-run.ts';
import type { Run, RunStatus, TurnResult } from '../../../state/runs.ts';
import { sentenceOf } from '../errors.ts';
import { dataPart, textPart } from '../parts.ts';
import type { TaskRuns } from './task-runs.ts';

const STATES: Record<RunStatus, TaskState> = {
  queued: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  succeeded: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  interrupted: TaskState.TASK_STATE_INPUT_REQUIRED,
  cancelled: TaskState.TASK_STATE_CANCELED,
};

export function stateOf({ last, asking }: Pick<TaskRuns, 'last' | 'asking'>): TaskState {
  return asking ? TaskState.TASK_STATE_INPUT_REQUIRED : STATES[last.status];
}

export interface TaskDetails {
  artifacts: Artifact[];
  /** How many of the newest messages; all without it. */
  historyLength?: number | undefined;
}

export function toTask(runs: TaskRuns, { artifacts, historyLength }: TaskDetails): Task {
  const { first, last } = runs;
  const history = historyOf(runs);
  return {
    id: first.runId,
    contextId: first.threadId,
    status: statusOf(runs),
    artifacts,
    history:
      historyLength === undefined ? history : history.slice(Math.max(0, history.length - historyLength)),
    metadata: metadataOf(last),
  };
}

/** Where the API has more of it: the run, and the message that feedback is given on. */
export function metadataOf({
  runId,
  messageId,
  workflow,
}: Pick<Run, 'runId' | 'messageId' | 'workflow'>): Record<string, unknown> {
  return { workflow, run_id: runId, message_id: messageId };
}

export function statusOf(runs: TaskRuns): TaskStatus {
  const { last } = runs;
  const at = last.finishedAt ?? last.startedAt ?? last.createdAt;
  return { state: stateOf(runs), message: told(runs), timestamp: new Date(at).toISOString() };
}

/** What it asks, or why it failed. */
function told({ first, last, asking }: TaskRuns): Message | undefined {
  const parts = last.error ? [textPart(sentenceOf(last.error), { error: last.error })] : [];
  if (asking?.result) parts.push(...questionParts(asking.result));
  return parts.length > 0 ? agentMessage(first, last.messageId, parts) : undefined;
}

function questionParts({ interrupts, stoppedAt }: TurnResult): Message['parts'] {
  const asked = interrupts.map(({ interruptId: interrupt_id, value, agent, path }) => {
    const metadata = { interrupt_id, agent, path };
    return typeof value === 'string' ? textPart(value, metadata) : dataPart(value, metadata);
  });
  return stoppedAt.length > 0 ? [...asked, dataPart({ stopped_at: stoppedAt })] : asked;
}

type Place = Pick<Run, 'runId' | 'threadId'>;

export function agentMessage(task: Place, messageId: string, parts: Message['parts']): Message {
  return { ...messageOf(task, messageId), role: Role.ROLE_AGENT, parts };
}

export function userMessage(task: Place, messageId: string, text: string): Message {
  return { ...messageOf(task, messageId), role: Role.ROLE_USER, parts: [textPart(text)] };
}

function messageOf({ runId: taskId, threadId: contextId }: Place, messageId: string) {
  return { messageId, taskId, contextId, metadata: undefined, extensions: [], referenceTaskIds: [] };
}

/** What was asked, and the questions that were answered since. */
function historyOf({ first, runs }: TaskRuns): Message[] {
  const [, ...later] = runs;
  return [
    userMessage(first, first.runId, first.request.userPrompt),
    ...later.flatMap((run, index) => {
      const asked = runs[index]?.result;
      const values = run.request.resume?.values ?? {};
      const question = asked && agentMessage(first, `${run.runId}:question`, questionParts(asked));
      const answers = Object.entries(values).map(([interrupt_id, value]) =>
        typeof value === 'string' ? textPart(value, { interrupt_id }) : dataPart(value, { interrupt_id }),
      );
      const answer = { ...userMessage(first, run.runId, ''), parts: answers };
      return question ? [question, answer] : [answer];
    }),
  ];
}

export function answerArtifactId(messageId: string): string {
  return `${messageId}:answer`;
}

/** The answer's text, and what else came of it: the agents' structured results and a graph's own output. */
export function artifactsOf({ messageId, result, values }: EndedRun): Artifact[] {
  const { agentResponse, outputs } = result;
  const text =
    agentResponse === '' ? [] : [artifact(answerArtifactId(messageId), 'answer', textPart(agentResponse))];
  const data = outputs.flatMap(({ agent, data }) =>
    data === null || data === undefined ? [] : [artifact(`${messageId}:${agent}`, agent, dataPart(data))],
  );
  const own = ownValues(values);
  return [...text, ...data, ...(own ? [artifact(`${messageId}:values`, 'values', dataPart(own))] : [])];
}

/** Of a graph's output, what is not its conversation. */
function ownValues(values: unknown): Record<string, unknown> | undefined {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return undefined;
  const { messages: _, ...rest } = values as Record<string, unknown>;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

export function artifact(artifactId: string, name: string, part: Artifact['parts'][number]): Artifact {
  return { artifactId, name, description: '', parts: [part], metadata: undefined, extensions: [] };
}
