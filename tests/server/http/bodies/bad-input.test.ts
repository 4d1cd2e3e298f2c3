/** Invalid bodies of POST /api/v1/chat: errors have the contract's format, echo no values, and nothing is stored. */
import { afterEach, describe, expect, test } from 'bun:test';
import { answerOf, expectRefused } from '../../support/refused.ts';
import { runningProvider, runningService } from '../../support/running.ts';
import { storedIn } from '../../support/stored.ts';

const provider = runningProvider();
const service = runningService(provider);

const GOOD = { user_prompt: 'hi', conversation_flow: 'classification-agent' };
const JSON_TYPE = { 'content-type': 'application/json' };

const post = (body: RequestInit['body'], headers: Record<string, string> = JSON_TYPE) =>
  answerOf(service.fetch('/api/v1/chat', { method: 'POST', headers, body }));

/** A valid body with additional JSON text before its end. */
const withText = (text: string) => `${JSON.stringify(GOOD).slice(0, -1)},${text}}`;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

function form(): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(GOOD)) data.set(name, `${value} canary`);
  return data;
}

describe('is rejected', () => {
  const BODIES: [string, string, RequestInit['body'], Record<string, string>?][] = [
    ['a truncated body', 'INVALID_JSON', '{"user_prompt":"canary"'],
    ['an empty body', 'INVALID_JSON', ''],
    ['prose', 'INVALID_JSON', 'canary'],
    ['single quotes', 'INVALID_JSON', "{'user_prompt':'canary'}"],
    ['NaN', 'INVALID_JSON', withText('"max_tokens_budget":NaN')],
    ['a raw line break in a string', 'INVALID_JSON', withText('"topic":"canary\n"')],
    [
      'bytes that are not UTF-8',
      'INVALID_JSON',
      Buffer.from([...Buffer.from('{"canary":"'), 0xff, 0x22, 0x7d]),
    ],
    [
      'a surrogate in UTF-8',
      'INVALID_JSON',
      Buffer.from([...Buffer.from('{"a":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d]),
    ],
    ['UTF-16', 'INVALID_JSON', Buffer.from(JSON.stringify(GOOD), 'utf16le')],
    ['no content type', 'INVALID_REQUEST', Buffer.from(JSON.stringify(GOOD)), {}],
    ['neither body nor content type', 'INVALID_REQUEST', undefined, {}],
    ['plain text', 'INVALID_REQUEST', JSON.stringify(GOOD), { 'content-type': 'text/plain' }],
    [
      'a content type that only starts like JSON',
      'INVALID_REQUEST',
      JSON.stringify(GOOD),
      { 'content-type': 'application/jsonx' },
    ],
    ['a URL-encoded form', 'INVALID_REQUEST', new URLSearchParams({ ...GOOD, topic: 'canary' }), {}],
    ['a multipart form', 'INVALID_REQUEST', form(), {}],
    ['a list', 'INVALID_REQUEST', '["canary"]'],
    ['null', 'INVALID_REQUEST', 'null'],
    ['a text', 'INVALID_REQUEST', '"canary"'],
    ['a number', 'INVALID_REQUEST', '7'],
    ['an empty object', 'INVALID_REQUEST', '{}'],
    ['nesting of 65 levels', 'INVALID_REQUEST', withText(`"canary":${nested(64)}`)],
    ['nesting of a million levels', 'INVALID_REQUEST', nested(1_000_000)],
    ['too many values', 'INVALID_REQUEST', withText(`"canary":[${'{},'.repeat(100_000)}1]`)],
    ['a lone surrogate', 'INVALID_REQUEST', withText('"topic":"canary\\ud800"')],
    ['a lone surrogate in an unknown field', 'INVALID_REQUEST', withText('"x":[{"y":"canary\\udc00"}]')],
    ['a lone surrogate in a key', 'INVALID_REQUEST', withText('"canary\\ud800":1')],
    ['a NUL', 'INVALID_REQUEST', withText('"topic":"canary\\u0000"')],
    ['an escape character', 'INVALID_REQUEST', withText('"user_prompt":"canary\\u001b[31m"')],
    ['a DEL', 'INVALID_REQUEST', withText('"topic":"canary\\u007f"')],
    ['a C1 control character', 'INVALID_REQUEST', withText('"topic":"canary\\u0085"')],
    ['an unescaped DEL', 'INVALID_REQUEST', withText('"topic":"canary\x7f"')],
    ['an unescaped C1 control character', 'INVALID_REQUEST', withText('"topic":"canary\x9b"')],
    ['a backspace', 'INVALID_REQUEST', withText('"topic":"canary\\b"')],
    ['a form feed in a key', 'INVALID_REQUEST', withText('"canary\\f":1')],
    [
      'nesting of 65 levels behind a string that ends in a backslash',
      'INVALID_REQUEST',
      withText(`"x":"canary\\\\","y":${nested(64)}`),
    ],
    ['an unterminated string', 'INVALID_JSON', withText('"topic":"canary\\"')],
    [
      'a NUL under a key that is not a plain name',
      'INVALID_REQUEST',
      withText('"canary is a key":"\\u0000"'),
    ],
    ['no prompt', 'INVALID_REQUEST', JSON.stringify({ conversation_flow: 'classification-agent' })],
    ['no workflow', 'INVALID_REQUEST', JSON.stringify({ user_prompt: 'canary' })],
    ['a number that is too large', 'INVALID_REQUEST', withText('"max_tokens_budget":1e400')],
    ['an invalid value of the last duplicate key', 'INVALID_REQUEST', withText('"user_prompt":["canary"]')],
  ];

  for (const [name, code, body, headers] of BODIES) {
    test(name, async () => {
      expectNothing(await post(body, headers), code);
    });
  }

  const FIELDS: [field: string, values: unknown[]][] = [
    [
      'user_prompt',
      [5, null, ['canary'], { canary: 1 }, true, '', '   \n\t ', '\u2003\ufeff', 'canary '.repeat(20_000)],
    ],
    ['conversation_flow', [5, null, ['canary'], {}, '', `canary${'x'.repeat(300)}`]],
    ['thread_id', [5, null, [], '', 'canary canary', 'canary/../x', 'canary\n', 'é', 'x'.repeat(129)]],
    ['user_id', [5, null, ['canary'], {}, false]],
    ['topic', [5, null, ['canary'], {}, false]],
    ['event_type', [5, null, ['canary'], {}, false]],
    ['stream', ['true', 1, null, 'canary', []]],
    ['multitask_strategy', ['canary', 'REJECT', '', 1, null, ['reject']]],
    ['on_disconnect', ['canary', '', 1, null, true]],
    ['max_tokens_budget', ['5', 0, -1, 1.5, null, true, ['canary']]],
    ['deadline_seconds', ['5', 0, -1, 0.5, null, true, ['canary']]],
  ];

  for (const [field, value] of FIELDS.flatMap(([field, values]) =>
    values.map((value) => [field, value] as const),
  )) {
    test(`${field}: ${JSON.stringify(value).slice(0, 40)}`, async () => {
      const { detail } = expectNothing(
        await post(JSON.stringify({ ...GOOD, [field]: value })),
        'INVALID_REQUEST',
      );
      expect(detail).toStartWith(`${field}: `);
    });
  }

  test('an unknown workflow, with the names of the existing ones', async () => {
    const answer = await post(JSON.stringify({ ...GOOD, conversation_flow: 'canary-agent' }));
    const { message, detail } = expectNothing(answer, 'INVALID_WORKFLOW_TYPE');
    expect(message).toBe('Invalid workflow type specified');
    expect(detail).toStartWith('Class ConversationFlow not found');
    expect(detail).toContain('classification-agent');
  });

  test('a prompt of 100,001 characters', async () => {
    const answer = await post(JSON.stringify({ ...GOOD, user_prompt: 'x'.repeat(100_001) }));
    expect(expectNothing(answer, 'INVALID_REQUEST').detail).toBe('user_prompt: at most 100000 characters');
  });

  afterEach(async () => {
    expect(await storedIn(service.folder)).toEqual({ runs: [], messages: [], threads: 0 });
    expect(provider.requests).toEqual([]);
  });
});

/** Returns the body of the error, after a check that it shows neither received values nor internals. */
function expectNothing(answer: Awaited<ReturnType<typeof post>>, code: string) {
  const body = expectRefused(answer, 400, code);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(JSON.stringify(body)).not.toMatch(/canary|\bat \S+:\d+|\.ts\b|node_modules|Error:|\/tmp|Unexpected/);
  return body;
}
