/** Builds an A2A task, with its status, history and artifacts, from its runs. */
import { type Artifact, type Message, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import type { EndedRun } from '../../../runtime/run/ending/ended-run.ts';
import type { Run, RunStatus, TurnResult } from '../../../state/threads/runs.ts';
import { errorText } from '../../http/errors/json-rpc.ts';
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

export function stateOf({ last, waiting }: Pick<TaskRuns, 'last' | 'waiting'>): TaskState {
  return waiting ? TaskState.TASK_STATE_INPUT_REQUIRED : STATES[last.status];
}

export interface TaskDetails {
  artifacts: Artifact[];
  /** The number of newest messages to include; all if undefined. */
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

/** Ids for the service's own API: the workflow, the run, and the message to give feedback on. */
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
  return { state: stateOf(runs), message: statusMessage(runs), timestamp: new Date(at).toISOString() };
}

/** The error of a failed run and the questions of pending interrupts; undefined if there are none. */
function statusMessage({ first, last, waiting }: TaskRuns): Message | undefined {
  const parts = last.error ? [textPart(errorText(last.error), { error: last.error })] : [];
  if (waiting?.result) parts.push(...interruptParts(waiting.result));
  return parts.length > 0 ? agentMessage(first, last.messageId, parts) : undefined;
}

function interruptParts({ interrupts, stoppedAt }: TurnResult): Message['parts'] {
  const parts = interrupts.map(({ interruptId: interrupt_id, value, agent, path }) => {
    const metadata = { interrupt_id, agent, path };
    return typeof value === 'string' ? textPart(value, metadata) : dataPart(value, metadata);
  });
  return stoppedAt.length > 0 ? [...parts, dataPart({ stopped_at: stoppedAt })] : parts;
}

type TaskIds = Pick<Run, 'runId' | 'threadId'>;

export function agentMessage(task: TaskIds, messageId: string, parts: Message['parts']): Message {
  return { ...messageOf(task, messageId), role: Role.ROLE_AGENT, parts };
}

export function userMessage(task: TaskIds, messageId: string, text: string): Message {
  return { ...messageOf(task, messageId), role: Role.ROLE_USER, parts: [textPart(text)] };
}

function messageOf({ runId: taskId, threadId: contextId }: TaskIds, messageId: string) {
  return { messageId, taskId, contextId, metadata: undefined, extensions: [], referenceTaskIds: [] };
}

/** The user's message, then each interrupt with its answer. */
function historyOf({ first, runs }: TaskRuns): Message[] {
  const [, ...later] = runs;
  return [
    userMessage(first, first.runId, first.request.userPrompt),
    ...later.flatMap((run, index) => {
      const interrupted = runs[index]?.result;
      const values = run.request.resume?.values ?? {};
      const question =
        interrupted && agentMessage(first, `${run.runId}:question`, interruptParts(interrupted));
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

/** The text of the answer, the structured results of the agents, and the graph's output without its messages. */
export function artifactsOf({ messageId, result, values }: EndedRun): Artifact[] {
  const { agentResponse, outputs } = result;
  const text =
    agentResponse === '' ? [] : [artifact(answerArtifactId(messageId), 'answer', textPart(agentResponse))];
  const data = outputs.flatMap(({ agent, data }) =>
    data === null || data === undefined ? [] : [artifact(`${messageId}:${agent}`, agent, dataPart(data))],
  );
  const output = withoutMessages(values);
  const graphOutput = output ? [artifact(`${messageId}:values`, 'values', dataPart(output))] : [];
  return [...text, ...data, ...graphOutput];
}

/** Returns undefined if the output has nothing but messages. */
function withoutMessages(values: unknown): Record<string, unknown> | undefined {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return undefined;
  const { messages: _, ...rest } = values as Record<string, unknown>;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

export function artifact(artifactId: string, name: string, part: Artifact['parts'][number]): Artifact {
  return { artifactId, name, description: '', parts: [part], metadata: undefined, extensions: [] };
}
