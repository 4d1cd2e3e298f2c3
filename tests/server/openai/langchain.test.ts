/** LangChain's ChatOpenAI with a workflow as its model, over both APIs. */
import { expect, test } from 'bun:test';
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { conversationOf } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { GRAPHS } from './graphs.ts';

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);

const model = (name: string, useResponsesApi: boolean, more: object = {}) =>
  new ChatOpenAI({
    ...{ model: name, apiKey: 'any', maxRetries: 0, useResponsesApi, ...more },
    configuration: { baseURL: `${service.url}/v1` },
  });

const MESSAGES = [new SystemMessage('Be short.'), new HumanMessage('hi')];

test.each([false, true])('it answers with and without streaming (Responses API: %p)', async (responses) => {
  const chat = model('echo', responses);
  const answer = await chat.invoke(MESSAGES);
  expect([answer.text, answer.usage_metadata?.total_tokens]).toEqual(['re: hi', 30]);
  expect(conversationOf(provider.requests[0] ?? { model: '', messages: [] })).toEqual(['hi']);
  let text = '';
  for await (const piece of await chat.stream(MESSAGES)) text += piece.text;
  expect(text).toBe('re: hi');
});

test("a workflow's question is a tool call, and its tool message answers it", async () => {
  const chat = model('letter', false, { modelKwargs: { metadata: { thread_id: 'langchain' } } });
  const asks = await chat.invoke([new HumanMessage('Dear Ana')]);
  expect(asks.tool_calls).toMatchObject([{ name: 'resume', args: { question: 'May I write?' } }]);
  const answer = new ToolMessage({ content: 'true', tool_call_id: asks.tool_calls?.[0]?.id ?? '' });
  const reply = await chat.invoke([new HumanMessage('Dear Ana'), asks, answer]);
  expect(reply.text).toBe('re: Dear Ana true');
});

test('it continues from the previous response', async () => {
  const chat = model('echo', true);
  const first = await chat.invoke([new HumanMessage('one')]);
  const id = String(first.response_metadata.id);
  await chat.invoke([new HumanMessage('two')], { previous_response_id: id });
  expect(conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] })).toEqual([
    ...['one', 're: one', 'two'],
  ]);
});
