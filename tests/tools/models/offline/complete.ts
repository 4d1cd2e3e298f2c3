/** Calls the offline model over its HTTP interface. */

import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { conversationMessages } from '../../../../graphs/authoring/agent/conversation-messages.ts';
import { offlineFetch } from '../../../../tools/models/offline/offline.ts';

export type Message = readonly [role: 'system' | 'user' | 'assistant', content: string];

interface Completion {
  choices: { message: { content: string } }[];
}

export const CATEGORIES = ['product_inquiry', 'purchase', 'support', 'feedback', 'other'];

export function post(task: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return offlineFetch()('http://offline/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-skein-task': task },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
}

/** Moves the blocks of a system prompt to the messages in which the service sends them. */
export function chatBody(messages: readonly Message[], extra: object = {}): object {
  return { model: 'any', messages: wireMessages(messages), ...extra };
}

function wireMessages([first, ...others]: readonly Message[]): object[] {
  const plain = [first, ...others].flatMap((each) => (each ? [{ role: each[0], content: each[1] }] : []));
  if (first?.[0] !== 'system') return plain;
  const messages = others.map(([role, text]) =>
    role === 'assistant' ? new AIMessage(text) : new HumanMessage(text),
  );
  return conversationMessages(first[1], '', messages);
}

/** Returns the content of the answer. Throws an error with the response's text. */
export async function complete(
  task: string,
  messages: readonly Message[],
  extra: object = {},
): Promise<string> {
  const response = await post(task, chatBody(messages, extra));
  if (!response.ok) throw new Error(await response.text());
  const completion = (await response.json()) as Completion;
  return completion.choices[0]?.message.content ?? '';
}

/** Returns the answer to the last of the user's messages, with the others as the conversation. */
export function answerTo(...texts: string[]): Promise<string> {
  return complete(
    'answer',
    texts.map((text) => ['user', text] as const),
  );
}

export function responseFormat(schema: unknown): object {
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'output', strict: true, schema } },
  };
}

export function classificationSchema(categories: string[]): object {
  const properties = {
    category: { type: 'string', enum: categories },
    topic: { type: 'string' },
    sentiment: {
      type: 'object',
      properties: {
        label: { type: 'string', enum: ['positive', 'neutral', 'negative'] },
        score: { type: 'number', minimum: -1, maximum: 1 },
      },
      required: ['label', 'score'],
      additionalProperties: false,
    },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    explanation: { type: 'string' },
  };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
