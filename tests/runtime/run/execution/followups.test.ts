/** Follow-up questions: only if the workflow's setting requests them, and never at the expense of the answer. */
import { expect, test } from 'bun:test';
import { callOf, conversationOf, echoing, failure } from '../../../server/support/calls.ts';
import { runningProvider, runningService } from '../../../server/support/running.ts';
import { until } from '../../../server/support/until.ts';
import type { Reply } from '../../../support/provider.ts';

const ON = 'workflows: {classification-agent: {followup_questions: true}}';

const provider = runningProvider();
const withoutFollowups = runningService(provider);
const withFollowups = runningService(provider, ON);
const withSmallWindow = runningService(provider, `${ON}\nmemory: {window_messages: 3}`);

test('without the setting, there are no follow-up questions and no call for them', async () => {
  const { body } = await withoutFollowups.chat({ user_prompt: 'hi' });
  expect(body.followup_questions).toEqual({});
  expect(provider.requests.map(callOf)).toEqual(['classification', 'answer']);
});

test('with the setting, the questions are numbered, and the tokens of their call count', async () => {
  const { body } = await withFollowups.chat({ user_prompt: 'hi' });
  expect(body.followup_questions).toEqual({ 1: 'Which model?', 2: 'Since when?' });
  expect(provider.requests.map(callOf)).toEqual(['classification', 'answer', 'followup_questions']);
  expect(body.token_count).toBe(90);
});

test('at most three questions are returned, and blank ones are left out', async () => {
  provider.script = echoing({ followup_questions: { questions: [' a? ', '', '  ', 'b?', 'c?', 'd?'] } });
  expect((await withFollowups.chat({ user_prompt: 'hi' })).body.followup_questions).toEqual({
    1: 'a?',
    2: 'b?',
    3: 'c?',
  });
});

const BROKEN: [string, () => Reply][] = [
  ['is rejected by the provider', () => failure(400)],
  ['returns another shape', () => ({ questions: 'none' })],
  ['returns prose', () => 'I have no questions.'],
];

test.each(BROKEN)('the answer is returned without follow-up questions if their call %s', async (_, reply) => {
  provider.script = echoing({ followup_questions: reply });
  const { status, body } = await withFollowups.chat({ user_prompt: 'hi' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ followup_questions: {}, agent_response: expect.stringContaining('re: hi') });
});

test('a turn that is cancelled during the call for follow-up questions ends without an answer', async () => {
  provider.script = echoing({ followup_questions: () => new Promise(() => {}) });
  const accepted = await withFollowups.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ conversation_flow: 'classification-agent', user_prompt: 'hi' }),
  });
  const { run_id } = (await accepted.json()) as { run_id: string };
  await until(() => provider.requests.some((request) => callOf(request) === 'followup_questions'));
  const ended = await withFollowups.fetch(`/api/v1/runs/${run_id}/cancel`, { method: 'POST' });
  expect(await ended.json()).toMatchObject({ status: 'cancelled', error: { error_code: 'RUN_CANCELLED' } });
});

test('follow-up questions are not part of the conversation', async () => {
  const { thread_id } = (await withFollowups.chat({ user_prompt: 'one' })).body;
  await withFollowups.chat({ user_prompt: 'two', thread_id });
  const request = provider.requests.filter((request) => callOf(request) === 'answer').at(-1);
  expect(request?.messages.slice(1).map(({ content }) => content)).toEqual(['one', 're: one', 'two']);
});

test('the call for follow-up questions contains only the messages within the window', async () => {
  for (const user_prompt of ['one', 'two']) await withSmallWindow.chat({ user_prompt, thread_id: 't' });
  for (const request of provider.requests) expect(conversationOf(request).length).toBeLessThanOrEqual(3);
});
