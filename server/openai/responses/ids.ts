/** The ids of responses and conversations: a response is a run, a conversation is a thread. */
import { SkeinError } from '../../../state/errors.ts';

const RESPONSE = 'resp_';
const CONVERSATION = 'conv_';

export const responseId = (runId: string) => RESPONSE + runId;
export const conversationId = (threadId: string) => CONVERSATION + threadId;

/** Of an id in the form of a response's; otherwise none that a run has. */
export function runIdOf(id: string): string {
  return id.startsWith(RESPONSE) ? id.slice(RESPONSE.length) : '';
}

export function threadIdOf(id: string): string {
  return id.startsWith(CONVERSATION) ? id.slice(CONVERSATION.length) : '';
}

/** `param`: the parameter that names it, if it is not the path. */
export function noResponse(param?: string): SkeinError {
  return new SkeinError('RUN_NOT_FOUND', {
    message: 'Response not found',
    ...(param !== undefined && { detail: `${param}: names no stored response` }),
  });
}

export function noConversation(param?: string): SkeinError {
  return new SkeinError('THREAD_NOT_FOUND', {
    message: 'Conversation not found',
    ...(param !== undefined && { detail: `${param}: names no conversation` }),
  });
}
