/** The messages of a conversation, in all forms that a node may return. */
import { expect, test } from 'bun:test';
import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages';
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph';
import { addMessages } from '../../../state/threads/conversation.ts';

const shown = (messages: BaseMessage[]) => messages.map((message) => [message.getType(), message.text]);

test('appends messages, replaces them by id and removes them', () => {
  const first = addMessages([], [new HumanMessage({ content: 'one', id: '1' }), new AIMessage('two')]);
  const changed = addMessages(first, new HumanMessage({ content: 'uno', id: '1' }));
  expect(shown(changed)).toEqual([
    ['human', 'uno'],
    ['ai', 'two'],
  ]);
  expect(shown(addMessages(changed, new RemoveMessage({ id: '1' })))).toEqual([['ai', 'two']]);
  expect(addMessages(changed, 'three').every(({ id }) => id !== undefined)).toBe(true);
});

test('accepts a text or {role, content}, also in messages from another graph', () => {
  const left = ['What is it?', { role: 'assistant', content: 'A bell.' }];
  expect(shown(addMessages(left, [{ role: 'user', content: 'Thanks.' }, 'Bye.']))).toEqual([
    ['human', 'What is it?'],
    ['ai', 'A bell.'],
    ['human', 'Thanks.'],
    ['human', 'Bye.'],
  ]);
});

test('REMOVE_ALL_MESSAGES removes all messages before it', () => {
  const all = [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), new HumanMessage('after')];
  expect(shown(addMessages([new AIMessage('old')], all))).toEqual([['human', 'after']]);
});
