/** The ids of responses and conversations: a response is a run, a conversation is a thread. */
import { SkeinError } from '../../../state/errors.ts';

const RESPONSE = 'resp_';
const CONVERSATION = 'conv_';

export const responseId = (runId: string) => RESPONSE + runId;
export const conversationId = (threadId: string) => CONVERSATION + threadId;

/** Returns an empty string, which is never a run's id, if `id` doesn't have the form of a response's id. */
export function runIdOf(id: string): string {
  return id.startsWith(RESPONSE) ? id.slice(RESPONSE.length) : '';
}

/** Returns an empty string, which is never a thread's id, if `id` doesn't have the form of a conversation's id. */
export function threadIdOf(id: string): string {
  return id.startsWith(CONVERSATION) ? id.slice(CONVERSATION.length) : '';
}

/** `param`: the parameter with the id, if it isn't in the path. */
export function responseNotFound(param?: string): SkeinError {
  return new SkeinError('RUN_NOT_FOUND', {
    message: 'Response not found',
    ...(param !== undefined && { detail: `${param}: no stored response has this id` }),
  });
}

export function conversationNotFound(param?: string): SkeinError {
  return new SkeinError('THREAD_NOT_FOUND', {
    message: 'Conversation not found',
    ...(param !== undefined && { detail: `${param}: no conversation has this id` }),
  });
}
