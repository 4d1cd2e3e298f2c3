/** A provider cannot fill the memory or redirect the key to another host. */
import { describe, expect, test } from 'bun:test';
import { openEndpoint } from '../../../tools/models/provider/endpoint.ts';
import { until } from '../../server/support/until.ts';
import { type Reply, USAGE } from '../../support/provider.ts';
import { sharedProvider } from '../../support/shared-provider.ts';
import { callOnce } from './own-process.ts';
import { event, finishing, modelAt, providerErrorOf, REQUEST, stream } from './scripted.ts';

const MIB = 1024 * 1024;
const TOO_LARGE = `the provider's answer exceeds ${8 * MIB} bytes`;

const provider = sharedProvider();

function ask(reply: () => Reply, more = {}) {
  provider.script = reply;
  const { complete } = openEndpoint(modelAt(provider.url, more));
  return complete(REQUEST, new AbortController().signal);
}

describe('an endless answer', () => {
  /** Sends as fast as the client reads, and never ends. */
  function endless(piece: string, type: string): Response {
    const bytes = new TextEncoder().encode(piece);
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(bytes);
    return new Response(new ReadableStream({ pull }), { headers: { 'content-type': type } });
  }

  // With usage, so that loading the tokenizer doesn't count as memory of the answer.
  const CHUNK = { choices: [{ index: 0, delta: { content: 'x'.repeat(1_000) } }], usage: USAGE };
  const FORMS: [string, () => Response][] = [
    ['of many chunks', () => endless(event(CHUNK), 'text/event-stream')],
    ['of one line', () => endless('x'.repeat(64 * 1024), 'text/event-stream')],
    ['of one line in small pieces', () => endless('x'.repeat(100), 'text/event-stream')],
    ['of empty lines', () => endless('\n'.repeat(1_000), 'text/event-stream')],
    ['of one document', () => endless('[[[[[[[[', 'application/json')],
  ];

  test.each(FORMS)('%s is rejected, and the connection is closed', async (_, reply) => {
    const error = await providerErrorOf(ask(reply));
    expect(error).toMatchObject({ failure: 'malformed', message: TOO_LARGE, retryable: false });
    await until(() => provider.aborted === 1, 1_000);
  });

  test.each(FORMS)('%s costs a process less than 64 MiB', async (_, reply) => {
    provider.script = reply;
    const { stdout } = await callOnce(provider.url);
    expect(stdout).toMatchObject({ output: `MODEL_CALL_FAILED Model 'test-model': ${TOO_LARGE}` });
    expect(stdout.grownBytes / MIB).toBeLessThan(64);
  });

  test('of an error response is an error, with the text read so far', async () => {
    const reply = () => new Response(endless('x'.repeat(1_000), 'text/plain').body, { status: 503 });
    expect(await providerErrorOf(ask(reply))).toMatchObject({
      failure: 'status',
      status: 503,
      retryable: true,
    });
    await until(() => provider.aborted === 1, 1_000);
  });

  test('that is small when compressed is rejected too', async () => {
    const packed = Bun.gzipSync(new Uint8Array(64 * MIB));
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' };
    expect(await providerErrorOf(ask(() => new Response(packed, { headers })))).toMatchObject({
      message: TOO_LARGE,
    });
  });
});

test('an answer of 7 MiB is accepted', async () => {
  const { text } = await ask(() => stream('y'.repeat(7 * MIB), finishing('stop')));
  expect(text).toHaveLength(7 * MIB);
});

describe('the key', () => {
  test('is sent to the endpoint as a bearer token', async () => {
    await ask(() => 'ok');
    expect(provider.headers[0]?.get('authorization')).toBe('Bearer secret-key');
  });

  test('is not sent if none is configured', async () => {
    await ask(() => 'ok', { api_key: undefined });
    expect(provider.headers[0]?.get('authorization')).toBeNull();
  });

  test.each([301, 302, 303, 307, 308])(
    'does not follow a redirect with %i, and sends nothing to its target',
    async (status) => {
      let reached = 0;
      const target = Bun.serve({ port: 0, fetch: () => new Response(String(reached++)) });
      const location = `${target.url}v1/chat/completions`;
      const error = await providerErrorOf(ask(() => new Response(null, { status, headers: { location } })));
      expect(error).toMatchObject({ failure: 'status', status, retryable: false });
      expect(error.message).not.toContain(location);
      await target.stop(true);
      expect(reached).toBe(0);
    },
  );
});
