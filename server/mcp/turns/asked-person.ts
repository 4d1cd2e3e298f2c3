/** Interrupts as forms that a client shows a person: `input_required` of the 2026-07-28 revision, and what comes back. */
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
import { jsonOf } from '../../http/json-body.ts';
import { ThreadId } from '../../http/thread-id.ts';
import { RESUME } from '../tool-names.ts';

/**
 * What the client brings back with the answers. It is not signed: it names a thread, which is its caller's own or not
 * found, and interrupts, which the thread waits for or not.
 */
const Waiting = Type.Object({ thread_id: ThreadId, interrupt_ids: Type.Array(Type.String()) });

// Forms have texts and numbers and nothing below them.
const FORM = {
  type: 'object' as const,
  properties: { value: { type: 'string' as const, title: 'Answer', description: 'JSON, or any other text' } },
  required: ['value'],
};

const LONGEST_QUESTION = 20_000;

/** Undefined where the client shows no forms, or where the thread only stopped. */
export function askedPerson(
  { thread_id, outputs, interrupts }: ChatResponse,
  { mcpReq }: ServerContext,
): InputRequiredResult | undefined {
  if (interrupts.length === 0 || !showsForms(mcpReq)) return undefined;
  const asked = interrupts.map(({ interrupt_id, agent, value }) => {
    const question = `${agent} asks: ${questionOf(value)}`.slice(0, LONGEST_QUESTION);
    const said = outputs.findLast(({ content }) => content !== '')?.content;
    const message = said === undefined ? question : `${said}\n\n${question}`;
    return [interrupt_id, inputRequired.elicit({ message, requestedSchema: FORM })];
  });
  const waiting: Static<typeof Waiting> = {
    thread_id,
    interrupt_ids: interrupts.map(({ interrupt_id }) => interrupt_id),
  };
  return inputRequired({
    inputRequests: Object.fromEntries(asked),
    requestState: JSON.stringify(waiting),
  });
}

/** The answers that a call brings, by interrupt id; undefined for a call that brings none. Throws INVALID_REQUEST. */
export function answersIn({
  mcpReq,
}: ServerContext): { threadId: string; values: Record<string, unknown> } | undefined {
  const state = mcpReq.requestState<unknown>();
  if (state === undefined) return undefined;
  const waiting = waitingIn(state);
  const values = waiting.interrupt_ids.flatMap((id) => {
    const content = acceptedContent(mcpReq.inputResponses, id);
    return typeof content?.value === 'string' ? [[id, answerOf(content.value)]] : [];
  });
  return { threadId: waiting.thread_id, values: Object.fromEntries(values) };
}

/** The result where the person closes the form. */
export function noAnswer(threadId: string): CallToolResult {
  const text = `No answer was given. The thread '${threadId}' still waits: call the tool ${RESUME} with this thread_id and the answer.`;
  return { isError: true, content: [{ type: 'text', text }] };
}

function showsForms({ envelope }: ServerContext['mcpReq']): boolean {
  const declared: Record<string, unknown> = envelope ?? {};
  const { elicitation } = (declared[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
  // Without a word on how, the client shows forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function questionOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function waitingIn(state: unknown): Static<typeof Waiting> {
  const waiting = typeof state === 'string' ? answerOf(state) : undefined;
  if (Value.Check(Waiting, waiting)) return waiting;
  throw new SkeinError('INVALID_REQUEST', { detail: 'requestState: expected what the service has sent' });
}

function answerOf(text: string): unknown {
  try {
    return jsonOf(text);
  } catch {
    return text;
  }
}
