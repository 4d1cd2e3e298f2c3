/** The question of a case, as results and conversations show it. */
import { expect, test } from 'bun:test';
import { type Case, questionOf } from '../../../runtime/datasets/cases.ts';

type Message = NonNullable<Case['call']>['messages'][number];
const called = (...messages: Message[]) => questionOf({ call: { messages } });

test('the question of a model call is its last user message, or its last message', () => {
  const rule: Message = { role: 'system', content: 'Be brief.' };
  const asked: Message = { role: 'user', content: 'How many?' };
  const said: Message = { role: 'assistant', content: 'Three.' };
  expect(called(rule, asked, said)).toBe('How many?');
  expect(called(rule, asked, said, { role: 'user', content: 'Why?' })).toBe('Why?');
  expect(called(rule)).toBe('Be brief.');
});

test('the question of a graph is its prompt, or its input as JSON', () => {
  expect(questionOf({ prompt: 'How many?' })).toBe('How many?');
  expect(questionOf({ input: { city: 'Bern' } })).toBe('{"city":"Bern"}');
});
