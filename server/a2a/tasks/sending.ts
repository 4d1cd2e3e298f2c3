/** A message to an agent: it begins a task, or answers what one asks. */
import { type Message, type SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { Value } from '@sinclair/typebox/value';
import type { Turn } from '../../../runtime/intake/turn.ts';
import { SkeinError } from '../../../state/errors.ts';
import { idempotencyOf } from '../../chat/idempotency.ts';
import { whenCallerGone } from '../../http/caller-gone.ts';
import { ThreadId } from '../../http/thread-id.ts';
import type { Services } from '../../services.ts';
import { answerIn } from '../answer.ts';
import { questionIn } from '../question.ts';
import { type AgentCall, foundTask } from './agent-call.ts';
import { stateOf } from './task.ts';

export interface Sent {
  turn: Turn;
  taskId: string;
  /** The run answers what an earlier one asked. */
  resumes: boolean;
  /** What the client said. */
  text: string;
}

/** `whole`: the client waits for the task's end, which its going away cancels. */
export async function send(
  services: Services,
  call: AgentCall,
  { params, whole }: { params: SendMessageRequest; whole: boolean },
): Promise<Sent> {
  const { message } = params;
  if (!message) throw new SkeinError('INVALID_REQUEST', { detail: 'message: required' });
  const idempotency = idempotencyOf(call.request, [call.agent.pathName, params]);
  const { owner, requestId, traceparent } = call;
  const asked = { owner, requestId, traceparent, whole, idempotency };
  const sent = message.taskId
    ? await answered(services, call, message, asked)
    : await begun(services, call, message, asked);
  if (whole && !idempotency) {
    const leave = whenCallerGone(call.request.signal, sent.turn.cancel);
    sent.turn.ended.then(leave, leave);
  }
  return sent;
}

type Asked = Pick<AgentCall, 'owner' | 'requestId' | 'traceparent'> & {
  whole: boolean;
  idempotency: { key: string; digest: string } | undefined;
};

async function begun(
  { runtime }: Services,
  { agent }: AgentCall,
  message: Message,
  asked: Asked,
): Promise<Sent> {
  const { configurable, recursion_limit } = agent.config as {
    configurable?: Record<string, unknown>;
    recursion_limit?: number;
  };
  const question = questionIn(message, agent.workflow);
  const turn = await runtime.turn({
    ...{ ...asked, ...question, configurable },
    workflow: agent.graphId,
    threadId: threadIn(message),
    strategy: 'enqueue',
    recursionLimit: recursion_limit,
    ...(Object.keys(agent.context).length > 0 && { context: agent.context }),
  });
  return { turn, taskId: turn.runId, resumes: false, text: question.prompt ?? '' };
}

async function answered(services: Services, call: AgentCall, message: Message, asked: Asked): Promise<Sent> {
  const runs = await foundTask(services, call, message.taskId);
  const { first, asking } = runs;
  if (message.contextId && message.contextId !== first.threadId)
    throw new SkeinError('INVALID_REQUEST', { detail: 'message.contextId: not that of the task' });
  const isRepeat = asked.idempotency !== undefined;
  if (!asking?.result && !isRepeat)
    throw new UnsupportedOperationError(`The task takes no message, it is ${nameOf(stateOf(runs))}`);
  const pending = asking?.result ?? first.result ?? { interrupts: [] };
  const turn = await services.runtime.resume({
    ...asked,
    threadId: first.threadId,
    ...answerIn(message, pending),
  });
  return { turn, taskId: first.runId, resumes: true, text: '' };
}

function nameOf(state: TaskState): string {
  return TaskState[state].replace('TASK_STATE_', '').toLowerCase().replaceAll('_', ' ');
}

/** Undefined for a new one. Throws INVALID_REQUEST. */
function threadIn({ contextId }: Message): string | undefined {
  if (!contextId) return undefined;
  if (Value.Check(ThreadId, contextId)) return contextId;
  throw new SkeinError('INVALID_REQUEST', { detail: `message.contextId: expected ${ThreadId.description}` });
}
