/** A call in a separate process: it prints nothing, exits after the call, and ignores the environment. */
import { expect, test } from 'bun:test';
import { eventStream, type Reply } from '../../support/provider.ts';
import { sharedProvider } from '../../support/shared-provider.ts';
import { callOnce } from './own-process.ts';
import { CANARY, event, refusal } from './scripted.ts';

const provider = sharedProvider();

const FAILING: [string, () => Reply][] = [
  ['broken JSON', () => eventStream(`${event(CANARY)}data: {"choices": [{"${CANARY}\n\n`)],
  ['a refusal', () => refusal(400)],
  ['a failure', () => refusal(500)],
  ['a web page', () => new Response(CANARY, { headers: { 'content-type': 'text/html' } })],
  ['an error in the stream', () => eventStream(event({ error: { message: CANARY } }))],
];

test.each(FAILING)('%s prints nothing', async (_, reply) => {
  provider.script = reply;
  const { stdout, stderr } = await callOnce(provider.url, { OPENAI_LOG: 'debug', DEBUG: '*' });
  expect(stderr).toBe('');
  expect(stdout.output).toStartWith("MODEL_CALL_FAILED Model 'test-model': the provider");
  expect(stdout.output).not.toContain(CANARY);
});

test('no timer or connection keeps the process alive after the call', async () => {
  provider.script = () => 'ok';
  const started = performance.now();
  expect((await callOnce(provider.url)).stdout.output).toBe('ok');
  // The call may take 5 s, and its timer with it.
  expect(performance.now() - started).toBeLessThan(4_900);
});

test('the environment of the process adds nothing to the request', async () => {
  provider.script = () => 'ok';
  const env = {
    OPENAI_API_KEY: 'env-key',
    OPENAI_ADMIN_KEY: 'env-admin',
    OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
    OPENAI_ORG_ID: 'env-org',
    OPENAI_ORGANIZATION: 'env-org',
    OPENAI_PROJECT_ID: 'env-project',
    OPENAI_CUSTOM_HEADERS: 'Authorization: env-header\nX-Custom: env-header',
  };
  expect((await callOnce(provider.url, env)).stdout.output).toBe('ok');
  const headers = provider.headers.at(-1)?.toJSON() ?? {};
  expect(headers.authorization).toBe('Bearer secret-key');
  expect(JSON.stringify(headers)).not.toContain('env-');
});
