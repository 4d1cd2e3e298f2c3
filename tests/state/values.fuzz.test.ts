/** Stored values: checkpoints restore them unchanged, and paths and filters of the store agree with LangGraph's own. */
import { expect } from 'bun:test';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { InMemoryStore, InvalidNamespaceError } from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { decode, encode } from '../../state/checkpoints/serializer.ts';
import {
  checkKey,
  checkNamespace,
  encodeValue,
  InvalidItemError,
  timeToLive,
} from '../../state/items/bounds.ts';
import { matchesFilter } from '../../state/items/filter.ts';
import { textsOf } from '../../state/items/texts.ts';
import { anyOrder, anyText, property } from '../support/property.ts';

const key = fc.oneof(
  fc.string(),
  fc.constantFrom('$', 'v', 'lc', '__proto__', 'constructor', 'toJSON', 'valueOf', 'length'),
);
const scalar = fc.oneof(fc.constantFrom('1', '2', 'x', '', null, true, 1, 2, 0), fc.integer(), fc.string());
const storable = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, 'map', 'human', { $: 'map' }, { $: 'date', v: 1 }),
    fc.bigInt(),
    fc.date({ noInvalidDate: true }),
    fc.uint8Array(),
    fc.array(tie('value')),
    fc.dictionary(key, tie('value')),
    // Two keys that are equal but not identical could not be distinguished.
    fc.array(fc.tuple(scalar, tie('value'))).map((entries) => new Map(entries)),
    fc.array(scalar).map((items) => new Set(items)),
  ),
})).value;

property('a value is restored from a checkpoint unchanged', [storable], (value) => {
  const text = encode(value);
  expect(decode(text)).toEqual(value);
  expect(encode(decode(text))).toBe(text);
});

property(
  'a message is restored from a checkpoint unchanged',
  [anyText, fc.uuid(), fc.dictionary(key, fc.jsonValue()), storable],
  (content, id, args, artifact) => {
    const messages = [
      new HumanMessage({ content, id, additional_kwargs: args }),
      new AIMessage({
        content: [{ type: 'text', text: content }],
        id,
        tool_calls: [{ id, name: 'f', args }],
      }),
      new ToolMessage({ content, id, tool_call_id: id, artifact }),
    ];
    const back = decode(encode(messages)) as typeof messages;
    for (const [at, message] of messages.entries()) {
      const [{ lc_kwargs: _, ...one }, { lc_kwargs: __, ...other }] = [message, back[at] ?? message];
      expect(other).toEqual(one);
      expect(back[at]).toBeInstanceOf(message.constructor);
    }
  },
);

// Only fields of user data, because the reference also finds those that every object inherits.
const field = fc.constantFrom('a', 'b', 'c', 'total');
const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(field, tie('value')),
  ),
})).value;
const item = fc.dictionary(field, data);
const path = fc.oneof(
  fc.constantFrom(
    '$',
    'a',
    'a.b',
    'a[*]',
    'a[*].b',
    'a[0]',
    'a[-1].c',
    '*',
    'a.*',
    '{a,b}',
    'a[*].{b,c}',
    'total',
  ),
  anyOrder(['a', 'b', '.', '[0]', '[*]', '[-1]', '*', '{a,b}', '{b}'], 5).filter((text) => text !== ''),
);

// The package does not export it.
const PATHS = '../../node_modules/@langchain/langgraph-checkpoint/dist/store/utils.js';
const reference: { getTextAtPath(value: unknown, path: string): string[] } = await import(PATHS);

property('the texts of a path are those of LangGraph', [item, path], (value, at) => {
  // The two differ on a wildcard beside a name, and on `{a}` of a list.
  // Inside braces, LangGraph embeds null as text.
  fc.pre(!/[^.]\*(?!\])|\*[^.\]]|\}[^.]/.test(at) || at === '*');
  const without = (texts: string[]) =>
    new Set(at.includes('{') ? texts.filter((text) => text !== 'null') : texts);
  expect(without(textsOf(value, [at]))).toEqual(without(reference.getTextAtPath(value, at)));
});

const operators = fc.dictionary(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), scalar, {
  maxKeys: 2,
});
const lists = fc.dictionary(fc.constantFrom('$in', '$nin'), fc.array(scalar, { maxLength: 3 }), {
  maxKeys: 1,
});
const filter = fc.dictionary(field, fc.oneof(scalar, operators, lists), { maxKeys: 2 });

property(
  'a filter finds what LangGraph’s store finds',
  [fc.dictionary(field, scalar), filter],
  async (value, wanted) => {
    const store = new InMemoryStore();
    await store.put(['items'], 'one', value);
    const found = await store.search(['items'], { filter: wanted });
    expect(matchesFilter(value, wanted)).toBe(found.length === 1);
  },
);

const labels = fc.array(
  fc.oneof(anyOrder(['a', ':', '.', '', '\0', 'langgraph', '\ud800', 'é'], 3), anyText),
  { maxLength: 70 },
);

property('an accepted namespace can be split again where it was joined', [labels], (namespace) => {
  try {
    checkNamespace(namespace);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidNamespaceError);
    return;
  }
  expect(namespace.join(':').split(':')).toEqual(namespace);
  expect(Buffer.from(namespace.join(':')).toString()).toBe(namespace.join(':'));
});

property(
  'an item is stored, or rejected with the reason',
  [
    fc.anything(),
    fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true }),
    fc.anything(),
  ],
  (name, value, minutes) => {
    for (const check of [() => checkKey(name), () => encodeValue(value), () => timeToLive(minutes)])
      try {
        const result = check();
        if (typeof result === 'number') expect(result).toBeGreaterThan(0);
        if (typeof result === 'string') expect(() => decode(result)).not.toThrow();
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidItemError);
      }
  },
);
