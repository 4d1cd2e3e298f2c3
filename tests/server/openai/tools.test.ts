/** The output and tool calls of a graph that wasn't written for Skein, over OpenAI's API. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { type ServedProject, serveProject } from '../../graphs/adopted/project.ts';

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject();
});
afterAll(() => project.close());

const openai = () => new OpenAI({ baseURL: `${project.service.url}/v1`, apiKey: 'any', maxRetries: 0 });
const ASKED = 'How is the weather?';

test('tool calls are completed items before the message', async () => {
  const model = 'tools-agent';
  const response = await openai().responses.create({ model, input: ASKED });
  expect(response.output).toMatchObject([
    { type: 'function_call', name: 'get_weather', arguments: '{"city":"Rome"}', status: 'completed' },
    { type: 'function_call_output', status: 'completed' },
    { type: 'message', status: 'completed' },
  ]);
  const [call, output] = response.output as { call_id: string; output?: string }[];
  expect(output?.call_id).toBe(call?.call_id ?? '');
  expect(response.output_text).toBe(`So: ${output?.output}`);
  const stream = await openai().responses.create({ model, input: ASKED, stream: true });
  const last = (await Array.fromAsync(stream)).at(-1);
  if (last?.type !== 'response.completed') throw new Error('not completed');
  expect(last.response.output.map(({ type }) => type)).toEqual(response.output.map(({ type }) => type));
  const again = await openai().responses.retrieve(last.response.id);
  expect(again.output).toEqual(last.response.output);
});

test.each(['tools-agent', 'supervisor', 'subgraphs', 'own-model'])(
  'the chunks of %s add up to its content',
  async (model) => {
    const messages = [{ role: 'user' as const, content: ASKED }];
    const response = await openai().chat.completions.create({ model, messages });
    const pieces = await openai().chat.completions.create({ model, messages, stream: true });
    const text = (await Array.fromAsync(pieces))
      .map(({ choices }) => choices[0]?.delta.content ?? '')
      .join('');
    expect(text).toBe(response.choices[0]?.message.content ?? '');
  },
);
