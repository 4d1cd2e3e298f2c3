/** Requests in every protocol have the same limits and errors, in the protocol's own format. */
import { describe, expect, test } from 'bun:test';
import { heldAnswer } from '../../studio/held-answer.ts';
import { GRAPHS } from '../openai/graphs.ts';
import { failure } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';
import type { Protocol } from './protocol.ts';
import { type Answered, ask, expectRefused, initOf, PROTOCOLS, type Refused, send } from './protocols.ts';

const provider = runningProvider();
const LIMITS = '{max_body_bytes: 20000, max_chat_body_bytes: 60000, queued_turns_per_thread: 1}';
const service = runningService(provider, `limits: ${LIMITS}\n`, GRAPHS);

const question = { text: 'hi', workflow: 'echo' };

/** The request of a turn with another body. */
async function posted(
  protocol: Protocol,
  body: string,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const request = protocol.ask(question);
  const { headers: own, ...init } = initOf(request, { headers });
  const response = await service.fetch(request.path, { ...init, headers: own, body });
  return { ...(await protocol.read(response)), headers: response.headers };
}

const bodyOf = (protocol: Protocol, text: string) => JSON.stringify(protocol.ask({ ...question, text }).body);

const REFUSED: Record<string, Refused & { request: (protocol: Protocol) => Promise<Answered> }> = {
  'a body that is no JSON': {
    ...{ status: 400, code: 'INVALID_JSON', says: /JSON/ },
    request: (protocol) => posted(protocol, '{"a":'),
  },
  'a body that is no UTF-8': {
    ...{ status: 400, code: 'INVALID_JSON', says: /UTF-8|JSON/ },
    request: async (protocol) => {
      const request = protocol.ask(question);
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
      const response = await service.fetch(request.path, { ...initOf(request), body });
      return { ...(await protocol.read(response)), headers: response.headers };
    },
  },
  'another type of content': {
    ...{ status: 400, code: 'INVALID_REQUEST', says: /application\/json/ },
    request: (protocol) => posted(protocol, bodyOf(protocol, 'hi'), { 'content-type': 'text/html' }),
  },
  'a control character': {
    ...{ status: 400, code: 'INVALID_REQUEST', says: /control character/ },
    request: (protocol) => posted(protocol, bodyOf(protocol, 'h\u0000i')),
  },
  'half a character': {
    ...{ status: 400, code: 'INVALID_REQUEST', says: /surrogate/ },
    request: (protocol) => posted(protocol, bodyOf(protocol, 'h\ud800i')),
  },
  'a body that is nested too deep': {
    ...{ status: 400, code: 'INVALID_REQUEST', says: /nest|deep|level/ },
    request: (protocol) =>
      posted(
        protocol,
        bodyOf(protocol, 'hi').replace(/^\{/, `{"deep":${'['.repeat(100)}${']'.repeat(100)},`),
      ),
  },
  'a body that is too large': {
    ...{ status: 413, code: 'PAYLOAD_TOO_LARGE', says: /60000|large/ },
    request: (protocol) => ask(service, protocol, { text: 'x'.repeat(60_001) }),
  },
  'another method': {
    ...{ status: 405, code: 'METHOD_NOT_ALLOWED', says: /method/ },
    request: async (protocol) => {
      const { path } = protocol.ask(question);
      const response = await service.fetch(path, { method: 'PATCH' });
      expect(response.headers.get('allow')).toContain('POST');
      return { ...(await protocol.read(response)), headers: response.headers };
    },
  },
  'a model that fails': {
    ...{ status: 500, code: 'MODEL_CALL_FAILED', says: /the provider answered 400/, by: 'run' },
    request: (protocol) => {
      provider.script = () => failure(400);
      return ask(service, protocol);
    },
  },
};

describe.each(PROTOCOLS)('$name', (protocol) => {
  test('a question is answered', async () => {
    const { status, text, code } = await ask(service, protocol, { text: 'well?' });
    expect({ status, text, code }).toEqual({ status: 200, text: 're: well?', code: undefined });
  });

  test.each(Object.entries(REFUSED))('%s is rejected', async (_, { request, ...refused }) => {
    expectRefused(protocol, await request(protocol), refused);
  });

  test('an unknown workflow is not found', async () => {
    const { status, code, text } = await ask(service, protocol, { workflow: 'nobody' });
    const expected = protocol.unknownWorkflow ?? { status: 404, code: 'WORKFLOW_NOT_FOUND' };
    expect({ status, code }).toEqual({
      status: expected.status,
      code: protocol.plain ? undefined : expected.code,
    });
    expect(text).toMatch(/not found|Invalid workflow type|No assistant found/);
  });

  test('an empty question is rejected', async () => {
    if (protocol.takesAnything) return;
    const refused = await ask(service, protocol, { text: ' \n' });
    const says = /expected|empty/;
    expectRefused(protocol, refused, { status: 400, code: 'INVALID_REQUEST', says, by: 'handler' });
  });

  test('a question may be as large as chat allows', async () => {
    const text = 'x'.repeat(30_000);
    expect((await ask(service, protocol, { text })).text).toBe(`re: ${text}`);
  });

  test('a client that disconnects ends its run, unless it can be rejoined', async () => {
    const held = Promise.withResolvers<Response>();
    provider.script = () => held.promise;
    const aborter = new AbortController();
    const thread = crypto.randomUUID();
    const request = protocol.ask({ ...question, thread });
    const left = send(service, request, { signal: aborter.signal })
      .then((response) => response.text())
      .catch(() => 'left');
    await until(() => provider.requests.length === 1);
    aborter.abort();
    expect(await left).toBe('left');
    if (protocol.continuesOnDisconnect) held.resolve(Response.json({}, { status: 400 }));
    else await until(() => provider.aborted === 1);
  });

  test('a client that disconnects in the middle of its stream ends its run, too', async () => {
    if (!protocol.streams) return;
    const held = heldAnswer();
    provider.script = () => held.reply;
    const disconnected = new AbortController();
    const pending = send(service, protocol.ask(question), { signal: disconnected.signal });
    await held.called;
    held.say('Half ');
    const reader = (await pending).body?.getReader();
    let text = '';
    while (reader && !text.includes('Half')) text += new TextDecoder().decode((await reader.read()).value);
    disconnected.abort();
    if (!protocol.continuesOnDisconnect) return until(() => provider.aborted === 1);
    held.end();
    const newest = () => service.fetch('/api/v1/runs?limit=1');
    await until(async () => (await (await newest()).text()).includes('"succeeded"'));
  });

  test('a cancelled run is reported as cancelled', async () => {
    const held = heldAnswer();
    provider.script = () => held.reply;
    const pending = send(service, protocol.ask(question));
    await held.called;
    const { runs } = (await (await service.fetch('/api/v1/runs?limit=1')).json()) as {
      runs: { run_id: string }[];
    };
    await service.fetch(`/api/v1/runs/${runs[0]?.run_id}/cancel`, { method: 'POST' });
    expect(await (await pending).text()).toMatch(
      protocol.cancelled ?? /RUN_CANCELLED|was cancelled|"cancelled"/,
    );
  });

  test('a request that is repeated with its key is one run, and another request cannot use the key', async () => {
    if (!protocol.idempotent) return;
    const thread = crypto.randomUUID();
    const more = { headers: { 'idempotency-key': crypto.randomUUID() } };
    const first = await ask(service, protocol, { thread }, more);
    const again = await ask(service, protocol, { thread }, more);
    expect(again.text).toBe(first.text);
    expect(provider.requests).toHaveLength(1);
    const mismatch = {
      status: 409,
      code: 'IDEMPOTENCY_MISMATCH',
      says: /Idempotency-Key/,
      by: 'handler',
    } as const;
    expectRefused(protocol, await ask(service, protocol, { thread, text: 'other' }, more), mismatch);
    expectRefused(protocol, await ask(service, protocol, { thread, workflow: 'seen' }, more), mismatch);
  });

  test('the number of queued turns per thread is limited', async () => {
    const thread = crypto.randomUUID();
    // In a protocol that creates a thread per turn, no turn waits for another.
    const isNamed = JSON.stringify(protocol.ask({ ...question, thread })).includes(thread);
    if (!isNamed || protocol.supersedes) return;
    const held = Promise.withResolvers<void>();
    provider.script = async () => {
      await held.promise;
      return 'said';
    };
    const running = ask(service, protocol, { thread });
    await until(() => provider.requests.length === 1);
    const waiting = ask(service, protocol, { thread });
    const listed = () => service.fetch(`/api/v1/threads/${thread}/runs`);
    await until(async () => ((await (await listed()).json()) as { runs: object[] }).runs.length === 2);
    const refused = { status: 409, code: 'THREAD_BUSY', says: /busy|wait|turns/, by: 'handler' } as const;
    expectRefused(protocol, await ask(service, protocol, { thread }), refused);
    held.resolve();
    expect([(await running).text, (await waiting).text]).toEqual(['said', 'said']);
  });
});
