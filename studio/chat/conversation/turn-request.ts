/** The request of a turn, without the workflow and the thread. */
import type { ChatRequest } from '../../../server/chat/schema.ts';

export type TurnRequest = Pick<
  ChatRequest,
  'user_prompt' | 'input' | 'context' | 'configurable' | 'interrupt_before' | 'recursion_limit'
>;

/** The text that the conversation shows for the request. */
export function questionOf({ user_prompt, input }: TurnRequest): string {
  return user_prompt ?? (typeof input === 'string' ? input : JSON.stringify(input, null, 2));
}
