/** The task `chat`: which tools a message names, with which arguments, and how their results are used. */
import { describe, expect, test } from 'bun:test';
import { post } from './complete.ts';

const shape = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const text = { type: 'string' };
const number = { type: 'number' };

const PARAMETERS: Record<string, object> = {
  add: shape({ a: number, b: number }),
  getWeather: shape({ city: text }),
  list_orders: { type: 'object', properties: {} },
  set_level: shape({ level: { type: 'integer' }, mode: { type: 'string', enum: ['fast', 'slow'] } }),
  send_mail: shape({ to: text, body: text }),
  search_documents: shape({ query: text, limit: { type: 'integer' } }, ['query']),
};

const tools = Object.entries(PARAMETERS).map(([name, parameters]) => ({
  type: 'function',
  function: { name, parameters },
}));

interface Said {
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

async function chat(messages: object[], extra: object = { tools }): Promise<Said> {
  const response = await post('chat', { model: 'any', messages, ...extra });
  const { choices } = (await response.json()) as { choices: { message: Said }[] };
  return choices[0]?.message ?? { content: '' };
}

const userMessage = (content: string) => [{ role: 'user', content }];

async function callsOf(content: string, extra?: object): Promise<unknown[]> {
  const { tool_calls = [] } = await chat(userMessage(content), extra);
  return tool_calls.map(({ function: { name, arguments: args } }) => [name, JSON.parse(args)]);
}

describe('a tool is called', () => {
  test.each([
    ['Add 3 and -4.5, please.', [['add', { a: 3, b: -4.5 }]]],
    ['What is the weather in Bonn?', [['getWeather', { city: 'What is the weather in Bonn?' }]]],
    ['Use list_orders', [['list_orders', {}]]],
    ['Set the level to 3, fast', [['set_level', { level: 3, mode: 'fast' }]]],
    ['Search the documents for bells', [['search_documents', { query: 'Search the documents for bells' }]]],
    [
      'Add 1 and 2 and list my orders',
      [
        ['add', { a: 1, b: 2 }],
        ['list_orders', {}],
      ],
    ],
  ])('%s', async (question, calls) => {
    expect(await callsOf(question)).toEqual(calls as unknown[]);
  });
});

describe('no tool is called', () => {
  test.each([
    'What is the capital of France?',
    'My address is in Bonn.',
    "Don't add 3 and 4.",
    'Add three and four.',
    'Set the level to 3.5, fast',
    'Send a mail to Ana.',
  ])('%s', async (question) => {
    expect(await callsOf(question)).toEqual([]);
  });

  test('if none is bound, or tool_choice is none', async () => {
    expect(await callsOf('Add 3 and 4.', {})).toEqual([]);
    expect(await callsOf('Add 3 and 4.', { tools, tool_choice: 'none' })).toEqual([]);
  });
});

test('a tool whose arguments are not in the message is named', async () => {
  const { content } = await chat(userMessage('Send a mail to Ana.'));
  expect(content).toStartWith('I cannot take the arguments of "send_mail" from your words.');
});

test('without tools, it answers as usual', async () => {
  expect((await chat(userMessage('What is 3 + 4?'), {})).content).toContain('7');
});

test('results are quoted under the names of their tools, and the next question is a new one', async () => {
  const tool_calls = ['a', 'b'].map((id, at) => ({
    id,
    type: 'function',
    function: { name: ['add', 'list_orders'][at], arguments: '{}' },
  }));
  const done = [
    ...userMessage('Add 3 and 4 and list my orders'),
    { role: 'assistant', content: null, tool_calls },
    { role: 'tool', tool_call_id: 'a', content: '7' },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'one bell' }] },
  ];
  expect((await chat(done)).content).toBe('add gave: 7\nlist_orders gave: one bell');
  const next = await chat([...done, { role: 'assistant', content: '7' }, ...userMessage('Add 5 and 6')]);
  expect(next.tool_calls?.[0]?.function.arguments).toBe('{"a":5,"b":6}');
});

test('a stream has the calls and the finish reason', async () => {
  const response = await post('chat', {
    model: 'any',
    messages: userMessage('Add 3 and 4'),
    tools,
    stream: true,
  });
  const streamed = await response.text();
  expect(streamed).toContain('"finish_reason":"tool_calls"');
  expect(streamed).toContain('"name":"add"');
});
