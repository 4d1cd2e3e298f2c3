/**
 * Requests as Open WebUI and LibreChat send them, according to the source of the first and the documentation of the second. The
 * programs themselves are not run.
 */
import { expect, test } from 'bun:test';
import { chunk, opening } from '../../support/provider.ts';
import { bearer, KEY, protectedConfig } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { GRAPHS } from './graphs.ts';

const provider = runningProvider();
const service = runningService(provider, protectedConfig(), GRAPHS);

const KEYED = { ...bearer(KEY), 'content-type': 'application/json' };
const post = (body: object, headers: Record<string, string> = {}) =>
  service.fetch('/v1/chat/completions', {
    ...{ method: 'POST', headers: { ...KEYED, ...headers }, body: JSON.stringify(body) },
  });

/** The lines that begin with `data:`; both programs skip the others. */
async function linesOf(response: Response): Promise<string[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => line.slice('data: '.length));
}

async function textOf(response: Response): Promise<string> {
  const lines = await linesOf(response);
  expect(lines.at(-1)).toBe('[DONE]');
  const chunks = lines.slice(0, -1).map((line) => JSON.parse(line));
  return chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('');
}

test('Open WebUI lists the models, streams an answer, and asks for a title', async () => {
  const listed = await service.fetch('/v1/models', { headers: KEYED });
  const { data } = (await listed.json()) as { data: { id: string; object: string }[] };
  expect(data).toContainEqual(expect.objectContaining({ id: 'echo', object: 'model' }));
  const forwarded = { 'X-OpenWebUI-User-Name': 'Ann', 'X-OpenWebUI-Chat-Id': 'chat-1' };
  const messages = [
    { role: 'system', content: 'User Context:\n' },
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 're: hi' },
    { role: 'user', content: 'Hello there' },
  ];
  const streamed = await post({ stream: true, model: 'echo', messages }, forwarded);
  expect(streamed.headers.get('content-type')).toStartWith('text/event-stream');
  expect(await textOf(streamed)).toBe('re: Hello there');
  const titled = await post({
    ...{ model: 'echo', messages: [{ role: 'user', content: '### Task: a title' }], stream: false },
    max_completion_tokens: 1000,
  });
  expect(await titled.json()).toMatchObject({ choices: [{ message: { content: 're: ### Task: a title' } }] });
  expect((await storedIn(service.folder)).threads).toBe(0);
});

test('Open WebUI gets a failure within the stream', async () => {
  const head = { id: 'c', created: 1, model: 'm' };
  const delta = { choices: [{ index: 0, delta: { content: 'half' }, finish_reason: null }] };
  const broken = opening(head) + chunk(head, delta);
  provider.script = () => new Response(broken, { headers: { 'content-type': 'text/event-stream' } });
  const lines = await linesOf(
    await post({ stream: true, model: 'echo', messages: [{ role: 'user', content: 'hi' }] }),
  );
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ error: { code: 'MODEL_CALL_FAILED' } });
});

test('LibreChat streams with its own parameters, on the thread of the conversation', async () => {
  const options = {
    ...{ model: 'echo', temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 },
    ...{ user: '65f0c0ffee', stream: true, stream_options: { include_usage: true } },
  };
  const thread = { 'X-Thread-Id': '0b1d4e3a-7a52-4a39-9d3c-6a4f0f6d8f11' };
  const one = [{ role: 'user', content: [{ type: 'text', text: 'one' }] }];
  expect(await textOf(await post({ ...options, messages: one }, thread))).toBe('re: one');
  const two = [...one, { role: 'assistant', content: 're: one' }, { role: 'user', content: 'two' }];
  expect(await textOf(await post({ ...options, messages: two }, thread))).toBe('re: two');
  expect(
    provider.requests
      .at(-1)
      ?.messages.map(({ content }) => content)
      .slice(1),
  ).toEqual([...['one', 're: one', 'two']]);
  const { messages } = await storedIn(service.folder);
  expect(messages.map(({ role, user_id }) => [role, user_id])).toContainEqual(['user', '65f0c0ffee']);
});
