/** Malformed requests in every protocol: the service responds with its own errors or does as requested. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Random, seeded } from '../../faults/seeded.ts';
import { GRAPHS } from '../openai/graphs.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { ask, PROTOCOLS, send } from './protocols.ts';

setDefaultTimeout(120_000);

const ROUNDS = 120;
const seed = Number(process.env.SKEIN_TEST_SEED ?? Date.now() % 1_000_000);

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);

const ODD: unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, '', ' ', 'x'.repeat(20_000)],
  ...[
    '../../etc/passwd',
    "' OR 1=1 --",
    '%00%2e%2e',
    '\u202e\u200b',
    '🚲'.repeat(200),
    '__proto__',
    'constructor',
  ],
  ...['resp_', 'resp_x', 'conv_', 'conv_../x', 'NaN', '{{ 7 * 7 }}', '{"a":', 'file:///etc/passwd'],
  ...[
    [],
    [null],
    [[]],
    {},
    [{}],
    { type: 'text' },
    { type: 'unknown' },
    { role: 'tool' },
    { lc: 1, type: 'constructor' },
  ],
  ...[[{ type: 'function_call_output', call_id: 'x', output: 'y' }], [{ type: 'item_reference', id: 'x' }]],
  ...[
    JSON.parse('{"toString": 1, "then": 1, "length": -1, "constructor": {}}'),
    Array.from({ length: 300 }, () => 'x'),
  ],
  ...[
    { url: 'http://169.254.169.254/latest' },
    { $case: 'text', value: 'x' },
    [{ role: 'user', content: null }],
  ],
];

const SURPRISED = /INTERNAL_ERROR|unexpected error|-32603/;

type Json = Record<string, unknown> | unknown[];

/** A copy with an odd value at one position, or with an additional field. */
function corrupted(body: unknown, random: Random): unknown {
  const copy = structuredClone(body) as Json;
  let at = copy;
  for (;;) {
    const keys = Object.keys(at);
    const key = keys.length > 0 ? random.of(keys) : 'x';
    const inner = (at as Record<string, unknown>)[key];
    const hasChildren = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0;
    if (hasChildren && random.below(4) > 0) {
      at = inner as Json;
      continue;
    }
    const place = random.below(5) === 0 ? random.of(MORE) : key;
    (at as Record<string, unknown>)[place] = random.of(ODD);
    return copy;
  }
}

const MORE = [
  ...[
    'metadata',
    'conversation',
    'previous_response_id',
    'instructions',
    'resume',
    'taskId',
    'contextId',
    'config',
  ],
  ...[
    'command',
    'checkpoint',
    'messageId',
    'trigger',
    'parts',
    'configuration',
    'state',
    '_meta',
    'context',
    'stream',
  ],
  ...[
    'stream_options',
    'input',
    'user',
    'data',
    'file',
    'url',
    'forwardedProps',
    'multitask_strategy',
    'id',
    'on_disconnect',
  ],
];

/** Among them, objects that pass for arrays, one of them for an array of gigabytes. */
const OTHER_TYPES: unknown[] = [
  ...[1, true, [], {}, [{ length: 1 }], { length: 4e9 }],
  JSON.parse('{"toString": 1, "then": 1, "toJSON": 1, "length": -1}'),
];

/** The paths of all values in `json`, without the root. */
function pathsOf(json: unknown): string[][] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => [
    [key],
    ...pathsOf(value).map((path) => [key, ...path]),
  ]);
}

function replaced(body: unknown, path: string[], value: unknown): unknown {
  const copy = structuredClone(body);
  let at = copy as Record<string, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[path.at(-1) as string] = value;
  return copy;
}

describe.each(PROTOCOLS)('$name', (protocol) => {
  test(`handles odd fields (SKEIN_TEST_SEED=${seed})`, async () => {
    const random = seeded(seed);
    for (let round = 0; round < ROUNDS; round++) {
      const workflow = round % 2 === 0 ? 'echo' : 'seen';
      const request = protocol.ask({ text: 'hi', workflow, thread: `odd-${round}` });
      const body = corrupted(request.body, random);
      const response = await send(service, { ...request, body }, { signal: AbortSignal.timeout(20_000) });
      const text = await response.text();
      const isSurprised = SURPRISED.test(text);
      expect({ body, isSurprised, text: isSurprised ? text : '' }).toEqual({
        body,
        isSurprised: false,
        text: '',
      });
      expect(response.status).not.toBe(500);
    }
    expect((await ask(service, protocol)).text).toBe('re: hi');
  });

  test('handles values of other types at each position', async () => {
    const { body } = protocol.ask({ text: 'hi', workflow: 'echo', thread: 'types' });
    for (const path of pathsOf(body)) {
      for (const value of OTHER_TYPES) {
        const request = protocol.ask({ text: 'hi', workflow: 'echo', thread: `types-${path.join('.')}` });
        const changed = replaced(request.body, path, value);
        const response = await send(
          service,
          { ...request, body: changed },
          { signal: AbortSignal.timeout(20_000) },
        );
        expect({ changed, text: await response.text() }).toEqual({
          changed,
          text: expect.not.stringMatching(SURPRISED),
        });
      }
    }
  });

  test('finds nothing for odd ids', async () => {
    for (const odd of ODD_IDS) {
      const id = encodeURIComponent(odd);
      for (const request of protocol.reads({ id, thread: id })) {
        const response = await send(service, request, { signal: AbortSignal.timeout(20_000) });
        const text = await response.text();
        expect({ ...request, text }).toEqual({ ...request, text: expect.not.stringMatching(SURPRISED) });
        expect({ ...request, status: response.status }).not.toMatchObject({ status: 500 });
      }
    }
  });
});

const ODD_IDS = [
  ...[
    'x',
    '0',
    '-1',
    '..',
    '../..',
    'a/b',
    '%',
    '%00',
    '\u0000',
    '\u202e',
    'ä',
    '🚲',
    "'; --",
    '*',
    'null',
    'undefined',
  ],
  ...['resp_', 'resp_resp_', 'conv_conv_', '__proto__', 'constructor', 'x'.repeat(129), 'x'.repeat(6_000)],
  ...[
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    '?a=b',
    '#',
    ' ',
    '\r\nx: y',
  ],
];
