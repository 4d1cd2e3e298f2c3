/** Responses have the types of OpenAI's own package, which the type checker compares. */
import { expect, test } from 'bun:test';
import type { Static } from '@sinclair/typebox';
import type { ChatCompletion } from 'openai/resources';
import type { Conversation } from 'openai/resources/conversations/conversations';
import type { Response as OpenAIResponse } from 'openai/resources/responses/responses';
import type { Completion } from '../../../server/openai/chat/schema.ts';
import { toResponse } from '../../../server/openai/responses/response.ts';
import type { ConversationBody } from '../../../server/openai/responses/schema.ts';
import type { Run } from '../../../state/threads/runs.ts';

const completion = (one: Completion): ChatCompletion => one;
const conversation = (one: Static<typeof ConversationBody>): Conversation => one;

/** Fields of graphs, fields that the package adds itself, and the usage, which is null in OpenAI's responses until the end. */
type Brought = 'output' | 'metadata' | 'error' | 'output_text' | 'usage';
const response = (one: Omit<ReturnType<typeof toResponse>, Brought>): Omit<OpenAIResponse, Brought> => one;

const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const RUN = {
  ...{ runId: 'r', threadId: 't', workflow: 'w', createdAt: 1_999, finishedAt: 3_001, error: null },
  usage: { inputTokens: 1, outputTokens: 2 },
  request: { userPrompt: '', deadlineSeconds: 1, requestId: 'x', userId: 'ann' },
};

test("completions and conversations match the package's types", () => {
  const head = { id: 'c', created: 1, model: 'w' };
  expect(completion({ ...head, object: 'chat.completion', choices: [], usage: USAGE }).model).toBe('w');
  expect(conversation({ id: 'c', object: 'conversation', created_at: 1, metadata: {} }).id).toBe('c');
});

test('a response has its times in seconds, and its usage once it has ended', () => {
  const ended = response(toResponse({ ...RUN, status: 'succeeded' } as Run, []));
  expect(ended).toMatchObject({ created_at: 1, completed_at: 3, usage: { total_tokens: 3 }, user: 'ann' });
  const going = response(toResponse({ ...RUN, status: 'running', finishedAt: null } as unknown as Run, []));
  expect(going).toMatchObject({ status: 'in_progress', completed_at: null, usage: null });
});
