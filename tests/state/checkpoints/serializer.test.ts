import { describe, expect, test } from 'bun:test';
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { Send } from '@langchain/langgraph';
import { DeltaSnapshot } from '@langchain/langgraph-checkpoint';
import { decode, encode } from '../../../state/checkpoints/serializer.ts';

const round = (value: unknown) => decode(encode(value));

describe('values that are decoded unchanged', () => {
  const values: [string, unknown][] = [
    ['plain JSON', { a: [1, 'two', null, true, { b: {} }] }],
    ['undefined inside', { a: undefined, b: [undefined] }],
    ['numbers that JSON lacks', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    ['a zero with a sign', [-0, 0]],
    ['big integers', 123456789012345678901234567890n],
    ['dates', new Date('2026-01-02T03:04:05.678Z')],
    ['maps and sets', new Map<unknown, unknown>([['a', new Set([1, { b: 2 }])]])],
    ['regular expressions', /a+b/gi],
    ['bytes', new Uint8Array([0, 1, 254, 255])],
    ['objects that use the tag themselves', { $: 'human', c: 'not a message', v: { $: 'map' } }],
    ['text with anything in it', 'a"\\\n\u2028 \u0000 é 😀'],
  ];
  for (const [name, value] of values) test(name, () => expect(round(value)).toEqual(value));
});

/** Its own fields; `lc_kwargs` is what it was made with. */
const fieldsOf = ({ lc_kwargs: _, ...fields }: BaseMessage) => fields;

describe('messages', () => {
  const messages = [
    new HumanMessage({ content: 'hi', id: '1' }),
    new AIMessage({ content: 'yes', id: '2', tool_calls: [{ id: 'c', name: 'f', args: { x: 1 } }] }),
    new AIMessage({ content: [{ type: 'text', text: 'parts' }], response_metadata: { model: 'm' } }),
    new AIMessageChunk({ content: 'piece', id: '3' }),
    new SystemMessage({ content: 'be', name: 'boss' }),
    new ToolMessage({ content: 'done', tool_call_id: 'c', status: 'success' }),
    new ToolMessage({ content: '', tool_call_id: 'c', artifact: [] }),
    new ToolMessage({ content: '', tool_call_id: 'c', metadata: { place: 'Bonn' }, artifact: { rows: [1] } }),
    new RemoveMessage({ id: '1' }),
  ];
  for (const message of messages) {
    test(`${message.constructor.name} keeps its class and its fields`, () => {
      const back = round(message) as BaseMessage;
      expect(back.constructor).toBe(message.constructor);
      expect(fieldsOf(back)).toEqual(fieldsOf(message));
    });
  }
});

test('a Send and a snapshot of a delta channel are revived', () => {
  const send = round(new Send('node', { messages: [new HumanMessage('x')] })) as Send;
  expect(send).toBeInstanceOf(Send);
  expect(send.args.messages[0]).toBeInstanceOf(HumanMessage);
  expect((round(new DeltaSnapshot([1])) as DeltaSnapshot).value).toEqual([1]);
});

test('an error keeps its name and its message', () => {
  const error = round(new RangeError('too far')) as Error;
  expect([error.name, error.message]).toEqual(['RangeError', 'too far']);
});

describe('user data never becomes an object of a class', () => {
  const hostile = [
    {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'HumanMessage'],
      kwargs: { content: 'x' },
    },
    { lc: 2, type: 'constructor', id: ['Set'], method: null, args: [[1]] },
    { lc: 1, type: 'secret', id: ['PATH'] },
    { $: 'ai', id: '1', c: 'forged' },
    { $: 'send', v: ['node', {}] },
  ];
  for (const value of hostile) {
    test(JSON.stringify(value).slice(0, 60), () => {
      const back = round({ rows: [value] }) as { rows: object[] };
      expect(back).toEqual({ rows: [value] });
      expect(Object.getPrototypeOf(back.rows[0])).toBe(Object.prototype);
    });
  }

  test('a __proto__ key stays an own property', () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}}');
    const back = round(value) as object;
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect(Object.hasOwn(back, '__proto__')).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

test('rejects an unknown type by name', () => {
  expect(() => decode('{"$":"from the future"}')).toThrow("unknown type 'from the future'");
});

test('an invalid date stays invalid', () => {
  expect(round(new Date(Number.NaN))).toBeInstanceOf(Date);
  expect(Number(round(new Date(Number.NaN)))).toBeNaN();
});

test('a Send keeps its own timeout', () => {
  const sent = round(new Send('node', { a: 1 }, { timeout: { runTimeout: 5000 } }));
  expect(sent).toMatchObject({ node: 'node', args: { a: 1 }, timeout: { runTimeout: 5000 } });
  expect(round(new Send('node', {}))).toEqual(new Send('node', {}));
});

test('an object with toJSON is stored as its JSON', () => {
  class Price {
    readonly #cents = 1250;
    toJSON() {
      return { euros: this.#cents / 100, toJSON: () => 'not again' };
    }
  }
  const value = { url: new URL('https://example.com/a?b=c'), price: new Price(), none: { toJSON: 'text' } };
  expect(round(value)).toEqual({
    url: 'https://example.com/a?b=c',
    price: { euros: 12.5, toJSON: undefined },
    none: { toJSON: 'text' },
  });
});

test('an object in several places is not a circular reference, at any depth', () => {
  let value: unknown = { leaf: 1 };
  for (let level = 0; level < 100; level++) value = level % 2 === 0 ? [value] : { value };
  const twice = [value, value, new Map([['again', value]])];
  expect(round(twice)).toEqual(twice);
});
