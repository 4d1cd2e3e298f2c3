/** Invalid answers: each is a ProviderError with our own message, which contains no text of the provider. */

import { expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { openEndpoint } from '../../../../tools/models/provider/endpoint.ts';
import { eventStream, type Reply, USAGE } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import {
  CANARY,
  event,
  finishing,
  modelAt,
  providerErrorOf,
  REQUEST,
  reporting,
  stream,
} from '../scripted.ts';

const provider = sharedProvider();

function refused(reply: () => Reply, format?: Record<string, unknown>) {
  provider.script = reply;
  const { complete } = openEndpoint(modelAt(provider.url));
  return providerErrorOf(complete({ ...REQUEST, format }, new AbortController().signal));
}

const choice = (body: unknown) => ({ choices: [body] });
const json = (body: unknown) => () => Response.json(body);
const raw = (data: string) => () =>
  eventStream(`${event(CANARY)}data: ${data}\n\n${event(finishing('stop'))}`);
const typed = (type: string) => () =>
  new Response(`<html>${CANARY}</html>`, { headers: { 'content-type': type } });

const CUT_OFF = "the provider's answer was cut off";
const EMPTY = "the provider's answer is empty";
const BROKEN = 'the provider sent invalid JSON';
const AN_ERROR = 'the provider sent an error instead of an answer';

const MALFORMED: [string, string, () => Reply][] = [
  ['a stream without a finish_reason', CUT_OFF, () => stream(CANARY)],
  ['a stream without events', CUT_OFF, () => eventStream('')],
  ['a stream that ends in an event', CUT_OFF, () => eventStream(`${event(CANARY)}data: [DONE]`)],
  ['no body', EMPTY, () => new Response(null, { status: 204 })],
  ['broken JSON in an event', BROKEN, raw(`{"choices": [{"${CANARY}`)],
  ['a number in an event', BROKEN, raw('5')],
  ['null in an event', BROKEN, raw('null')],
  ['an event cut in its middle', BROKEN, () => eventStream(event(CANARY).slice(0, -20))],
  ['a page of HTML', 'the provider sent a web page', typed('text/html; charset=utf-8')],
  ['a page of HTML that says it is text', CUT_OFF, typed('text/plain')],
  ['a page of HTML that says it is JSON', BROKEN, typed('application/json')],
  ['no choices', CUT_OFF, () => stream({ choices: [] }, { choices: [] })],
  [
    'choices that are no list',
    CUT_OFF,
    () => stream({ choices: CANARY }, { choices: { 0: finishing('stop') } }),
  ],
  ['choices that are null', CUT_OFF, () => stream(choice(null), { choices: null }, {})],
  [
    'odd deltas',
    CUT_OFF,
    () => stream(choice({ delta: CANARY }), choice({ delta: { content: [1], tool_calls: 'x' } })),
  ],
  [
    'odd tool calls',
    EMPTY,
    () => stream(choice({ delta: { tool_calls: [null, 1, {}] }, finish_reason: 'stop' })),
  ],
  ['no content', EMPTY, () => stream(finishing('stop'), reporting(USAGE))],
  ['blank content', EMPTY, () => stream(' \n', finishing('stop'))],
  [
    'an unrequested tool call',
    EMPTY,
    () =>
      stream(
        choice({ delta: { tool_calls: [{ function: { arguments: CANARY } }] }, finish_reason: 'tool_calls' }),
      ),
  ],
  [
    'an answer that is broken off',
    'the provider aborted the answer',
    () => stream(CANARY, finishing('error')),
  ],
  ['an error in the stream', AN_ERROR, () => stream(CANARY, { error: { message: CANARY, code: 500 } })],
  ['an error that is a text', AN_ERROR, () => stream(CANARY, { error: CANARY })],
  ['a document that is an error', AN_ERROR, json({ error: { message: CANARY } })],
  ['a document without choices', CUT_OFF, json({ id: CANARY })],
  ['a document without a message', EMPTY, json(choice({ finish_reason: 'stop' }))],
  ['a document with odd tool calls', CUT_OFF, json(choice({ message: { tool_calls: { map: CANARY } } }))],
  ['a document that is a list', CUT_OFF, json([CANARY])],
  ['a document that is a text', BROKEN, json(CANARY)],
];

test.each(MALFORMED)('%s: %s', async (_, message, reply) => {
  const error = await refused(reply);
  expect(error).toMatchObject({
    failure: 'malformed',
    message,
    retryable: true,
    meansDown: false,
    status: undefined,
  });
  expect(Bun.inspect(error)).not.toContain(CANARY);
});

test('a forced tool that is called without arguments is an empty answer', async () => {
  const called = choice({
    delta: { tool_calls: [{ function: { arguments: '' } }] },
    finish_reason: 'tool_calls',
  });
  expect(await refused(() => stream(called), { tools: [] })).toMatchObject({
    failure: 'malformed',
    message: EMPTY,
  });
});

test.each(['length', 'content_filter', 'max_tokens'])(
  'finish_reason %s is no answer, and asking again gives the same',
  async (reason) => {
    const error = await refused(() => stream(CANARY, finishing(reason), reporting(USAGE)));
    expect(error).toMatchObject({ failure: 'incomplete', retryable: false, meansDown: false });
    expect(error.message).toBe(`the provider stopped the answer early (${reason})`);
  },
);

test('an error in the stream that says the quota is exhausted is not retried', async () => {
  expect(await refused(() => stream({ error: { code: 'insufficient_quota' } }))).toMatchObject({
    retryable: false,
  });
});

test('a connection that breaks within the answer means that the provider is down', async () => {
  const text = event(CANARY);
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
  const data = (socket: Socket) => {
    socket.write(`${head}${text.length.toString(16)}\r\n${text}\r\n`);
    socket.flush();
    socket.end();
  };
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data } });
  const { complete } = openEndpoint(modelAt(`http://127.0.0.1:${server.port}/v1`));
  const error = await providerErrorOf(complete(REQUEST, new AbortController().signal));
  server.stop(true);
  expect(error).toMatchObject({ failure: 'unreachable', retryable: true, meansDown: true });
  expect(error.message).toBe('the connection to the provider broke');
});
