/** Interrupts as forms for a person (`input_required` of the revision 2026-07-28), and the answers from these forms. */
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { SkeinError } from '../../../state/errors.ts';
import type { ChatResponse } from '../../chat/schema.ts';
import { parseJsonOrText } from '../../http/bodies/parse-json-or-text.ts';
import { ThreadId } from '../../http/schemas/thread-id.ts';
import { RESUME } from '../tool-names.ts';

/**
 * The state that the client sends back with the answers. It doesn't need a signature: a thread of another caller is not
 * found, and interrupts that aren't pending are rejected.
 */
const RequestState = Type.Object({ thread_id: ThreadId, interrupt_ids: Type.Array(Type.String()) });

// The protocol only allows flat forms with primitive values.
const FORM = {
  type: 'object' as const,
  properties: { value: { type: 'string' as const, title: 'Answer', description: 'JSON, or any other text' } },
  required: ['value'],
};

const MAX_QUESTION_LENGTH = 20_000;

/** Returns undefined if the client doesn't support forms, or if the thread stopped at a breakpoint without interrupts. */
export function elicitAnswers(
  { thread_id, outputs, interrupts }: ChatResponse,
  { mcpReq }: ServerContext,
): InputRequiredResult | undefined {
  if (interrupts.length === 0 || !supportsForms(mcpReq)) return undefined;
  const requests = interrupts.map(({ interrupt_id, agent, value }) => {
    const question = `${agent} asks: ${questionOf(value)}`.slice(0, MAX_QUESTION_LENGTH);
    const lastOutput = outputs.findLast(({ content }) => content !== '')?.content;
    const message = lastOutput === undefined ? question : `${lastOutput}\n\n${question}`;
    return [interrupt_id, inputRequired.elicit({ message, requestedSchema: FORM })];
  });
  const requestState: Static<typeof RequestState> = {
    thread_id,
    interrupt_ids: interrupts.map(({ interrupt_id }) => interrupt_id),
  };
  return inputRequired({
    inputRequests: Object.fromEntries(requests),
    requestState: JSON.stringify(requestState),
  });
}

/**
 * The answers of a call by interrupt id. Returns undefined if the call isn't the response to a form. Throws INVALID_REQUEST
 * if the request state is invalid.
 */
export function elicitedAnswers({
  mcpReq,
}: ServerContext): { threadId: string; values: Record<string, unknown> } | undefined {
  const state = mcpReq.requestState<unknown>();
  if (state === undefined) return undefined;
  const { thread_id: threadId, interrupt_ids } = parseState(state);
  const values = interrupt_ids.flatMap((id) => {
    const content = acceptedContent(mcpReq.inputResponses, id);
    return typeof content?.value === 'string' ? [[id, parseJsonOrText(content.value)]] : [];
  });
  return { threadId, values: Object.fromEntries(values) };
}

/** The result if the person closes the form without an answer. */
export function noAnswerResult(threadId: string): CallToolResult {
  const text = `No answer was given. The thread '${threadId}' still waits for it: call the tool ${RESUME} with this thread_id and the answer.`;
  return { isError: true, content: [{ type: 'text', text }] };
}

function supportsForms({ envelope }: ServerContext['mcpReq']): boolean {
  const declared: Record<string, unknown> = envelope ?? {};
  const { elicitation } = (declared[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  // A client that declares elicitation without a mode supports forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function questionOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function parseState(state: unknown): Static<typeof RequestState> {
  const parsed = typeof state === 'string' ? parseJsonOrText(state) : undefined;
  if (Value.Check(RequestState, parsed)) return parsed;
  throw new SkeinError('INVALID_REQUEST', {
    detail: 'requestState: expected the value that the service sent',
  });
}
