/** Sends a message to an agent: starts a task, or resumes a task that waits for input. */
import { type Message, type SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { Value } from '@sinclair/typebox/value';
import type { Turn } from '../../../runtime/intake/turn.ts';
import { SkeinError } from '../../../state/errors.ts';
import { idempotencyOf } from '../../chat/idempotency.ts';
import { ThreadId } from '../../http/schemas/thread-id.ts';
import { onDisconnect } from '../../http/streams/disconnect.ts';
import type { Services } from '../../services.ts';
import { messageInput } from '../message-input.ts';
import { resumeValuesOf } from '../resume-values.ts';
import { type AgentCall, findTask } from './agent-call.ts';
import { stateOf } from './task.ts';

export interface SentMessage {
  turn: Turn;
  taskId: string;
  /** Whether the run resumes an interrupt of an earlier run. */
  resumes: boolean;
  /** The text of a message that starts a task; empty if it resumes one. */
  text: string;
}

/**
 * `whole`: the client waits for the end of the task. If it disconnects, the run is cancelled, unless the request has an
 * idempotency key. Throws INVALID_REQUEST, RUN_NOT_FOUND for an unknown task, UnsupportedOperationError if the task doesn't
 * wait for input, and the errors of the runtime.
 */
export async function sendMessage(
  services: Services,
  call: AgentCall,
  { params, whole }: { params: SendMessageRequest; whole: boolean },
): Promise<SentMessage> {
  const { message } = params;
  if (!message) throw new SkeinError('INVALID_REQUEST', { detail: 'message: required' });
  const idempotency = idempotencyOf(call.request, [call.agent.pathName, params]);
  const { owner, requestId, traceparent } = call;
  const options = { owner, requestId, traceparent, whole, idempotency };
  const sent = message.taskId
    ? await resumeTask(services, call, message, options)
    : await startTask(services, call, message, options);
  if (whole && !idempotency) {
    const stopListening = onDisconnect(call.request.signal, sent.turn.cancel);
    sent.turn.ended.then(stopListening, stopListening);
  }
  return sent;
}

type TurnOptions = Pick<AgentCall, 'owner' | 'requestId' | 'traceparent'> & {
  whole: boolean;
  idempotency: { key: string; digest: string } | undefined;
};

async function startTask(
  { runtime }: Services,
  { agent }: AgentCall,
  message: Message,
  options: TurnOptions,
): Promise<SentMessage> {
  const { configurable, recursion_limit } = agent.config as {
    configurable?: Record<string, unknown>;
    recursion_limit?: number;
  };
  const input = messageInput(message, agent.workflow);
  const turn = await runtime.turn({
    ...{ ...options, ...input, configurable },
    workflow: agent.graphId,
    threadId: threadIdOf(message),
    strategy: 'enqueue',
    recursionLimit: recursion_limit,
    ...(Object.keys(agent.context).length > 0 && { context: agent.context }),
  });
  return { turn, taskId: turn.runId, resumes: false, text: input.prompt ?? '' };
}

async function resumeTask(
  services: Services,
  call: AgentCall,
  message: Message,
  options: TurnOptions,
): Promise<SentMessage> {
  const runs = await findTask(services, call, message.taskId);
  const { first, waiting } = runs;
  if (message.contextId && message.contextId !== first.threadId)
    throw new SkeinError('INVALID_REQUEST', {
      detail: "message.contextId: doesn't match the context of the task",
    });
  // A repeated request with an idempotency key returns the stored answer, although the task no longer waits.
  const mayBeRepeated = options.idempotency !== undefined;
  if (!waiting?.result && !mayBeRepeated)
    throw new UnsupportedOperationError(
      `The task does not accept messages, because its state is: ${nameOf(stateOf(runs))}`,
    );
  const pending = waiting?.result ?? first.result ?? { interrupts: [] };
  const turn = await services.runtime.resume({
    ...options,
    threadId: first.threadId,
    ...resumeValuesOf(message, pending),
  });
  return { turn, taskId: first.runId, resumes: true, text: '' };
}

function nameOf(state: TaskState): string {
  return TaskState[state].replace('TASK_STATE_', '').toLowerCase().replaceAll('_', ' ');
}

/** Returns undefined if the message has no context, which starts a new thread. Throws INVALID_REQUEST. */
function threadIdOf({ contextId }: Message): string | undefined {
  if (!contextId) return undefined;
  if (Value.Check(ThreadId, contextId)) return contextId;
  throw new SkeinError('INVALID_REQUEST', { detail: `message.contextId: expected ${ThreadId.description}` });
}
