/** Access to chats over the AI SDK's protocol, and their rate limit: as in every protocol. */
import { expect, test } from 'bun:test';
import { bearer, KEY, pairOf, protectedConfig } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { chatWith, textsOf } from './chats.ts';
import { GRAPHS } from './graphs.ts';

const provider = runningProvider();
const config = `${protectedConfig()}  rate_limit: {requests_per_minute: 3}\n`;
const service = runningService(provider, config, GRAPHS);

const chatOf = (key: string, id?: string) =>
  chatWith(`${service.url}/ai/echo`, id === undefined ? {} : { id }, { headers: bearer(key) });

test('without a valid key, requests are rejected', async () => {
  const chat = chatOf('wrong');
  await chat.sendMessage({ text: 'hi' });
  expect(chat.error).toMatchObject({ statusCode: 401 });
  for (const [method, path] of [
    ['GET', '/ai/echo/mine/stream'],
    ['POST', '/ai/echo/mine/stop'],
  ] as const)
    expect((await service.fetch(path, { method })).status).toBe(401);
});

test('a chat is visible only to its caller, and chats are counted', async () => {
  const { access_token } = await pairOf(service, 'bob', 'other-password-canary');
  const bob = chatOf(access_token, 'mine');
  await bob.sendMessage({ text: 'secret' });
  const other = chatOf(KEY, 'mine');
  await other.sendMessage({ text: 'mine?' });
  expect(textsOf(other)).toEqual(['mine?', 're: mine?']);
  expect(JSON.stringify(provider.requests.at(-1)?.messages)).not.toContain('secret');
  for (let n = 0; n < 3; n++) await other.sendMessage({ text: 'again' });
  expect(other.error).toMatchObject({ statusCode: 429 });
  await bob.sendMessage({ text: 'still' });
  expect(bob.error).toBeUndefined();
});
