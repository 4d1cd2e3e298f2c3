/** The conversation of a fork and the replaced values of its state. */
import { expect, test } from 'bun:test';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { changedMessages, copiedMessages } from '../../../runtime/threads/fork-messages.ts';
import { replacement } from '../../../runtime/threads/replaced-values.ts';
import type { DraftMessage } from '../../../state/threads/archive.ts';

const copied = (messageId: string, role: DraftMessage['role'], content: string): DraftMessage =>
  ({ messageId, role, content, status: 'complete', outputs: null }) as DraftMessage;

test('a message that no copied message contains is skipped, and a system message is not part of the conversation', () => {
  const window = [new HumanMessage({ id: 'q', content: 'Hello' }), new AIMessage({ id: 'a', content: '' })];
  const newest = [copied('2', 'assistant', 'Hi'), copied('1', 'user', 'Hello')];
  const given = [
    new AIMessage({ id: 'a', content: 'changed' }),
    new SystemMessage({ id: 's', content: 'a rule' }),
    new HumanMessage({ id: 'n', content: 'first' }),
    new HumanMessage({ id: 'n', content: 'last' }),
  ];
  const { changed, added } = changedMessages(window, newest, given);
  expect(changed).toEqual([]);
  expect(added).toEqual([{ messageId: expect.any(String), role: 'user', content: 'last' }]);
});

test('a message without an id is added to the conversation', () => {
  const { changed, added } = changedMessages([], [], [new HumanMessage('new')]);
  expect(changed).toEqual([]);
  expect(added).toEqual([{ messageId: expect.any(String), role: 'user', content: 'new' }]);
});

test('a message that becomes a system message keeps its role, and two changes of one row are both applied', () => {
  const window = [
    new AIMessage({ id: 'a', content: 'one' }),
    new AIMessage({ id: 'b', content: 'two' }),
    new HumanMessage({ id: 'q', content: 'why' }),
  ];
  const row = {
    ...copied('1', 'assistant', 'x: one, y: two'),
    outputs: [{ content: 'one' }, { content: 'two' }],
  };
  const newest = [copied('2', 'user', 'why'), row as DraftMessage];
  const { changed } = changedMessages(window, newest, [
    new SystemMessage({ id: 'a', content: '1' }),
    new AIMessage({ id: 'b', content: '2' }),
    new AIMessage({ id: 'q', content: 'because' }),
  ]);
  expect(changed).toMatchObject([
    {
      messageId: '1',
      role: 'assistant',
      content: 'x: 1, y: 2',
      outputs: [{ content: '1' }, { content: '2' }],
    },
    { messageId: '2', role: 'assistant', content: 'because', outputs: null },
  ]);
});

test('messages are replaced in their displayed form, and other values unchanged', () => {
  const before = new HumanMessage({ id: 'q', content: 'Hello' });
  const given = [
    { id: 'q', role: 'user', content: 'Hello' },
    { id: null, role: 'assistant', content: 'Hi' },
  ];
  const { value, messages } = replacement('messages', [before], given);
  const [same, added] = value as [HumanMessage, AIMessage];
  expect([same === before, added.getType(), added.text, messages.length]).toEqual([true, 'ai', 'Hi', 1]);
  expect(added.id).toMatch(/^[0-9a-f-]{36}$/);
  for (const current of [undefined, []])
    expect(replacement('messages', current, given).messages).toHaveLength(2);
  for (const [name, current, other] of [
    ['notes', undefined, given],
    ['messages', 'text', given],
    ['messages', [], ['plain']],
    ['messages', ['plain'], given],
  ] as const)
    expect(replacement(name, current, other)).toEqual({ value: other, messages: [] } as never);
  expect(() => replacement('messages', [before], ['plain'])).toThrow(
    'expected a list of {id?, role, content}',
  );
  expect(() => replacement('messages', [before], [{ role: 'judge', content: 'x' }])).toThrow(
    'a role is one of',
  );
});

test('of a state, the messages with text of users and assistants are the conversation', () => {
  const { changed, added } = copiedMessages([
    new SystemMessage('a rule'),
    new HumanMessage('How many?'),
    new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'count', args: {} }] }),
    new ToolMessage({ content: '3', tool_call_id: 'c' }),
    new AIMessage('Three.'),
  ]);
  expect(changed).toEqual([]);
  expect(added.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'How many?'],
    ['assistant', 'Three.'],
  ]);
});
