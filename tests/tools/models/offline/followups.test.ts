/** The task `followup_questions`. */

import { expect, test } from 'bun:test';
import { complete, responseFormat } from './complete.ts';

const SCHEMA = {
  type: 'object',
  properties: { questions: { type: 'array', items: { type: 'string' }, maxItems: 3 } },
  required: ['questions'],
  additionalProperties: false,
};

async function questionsAfter(text: string): Promise<string[]> {
  const content = await complete('followup_questions', [['user', text]], responseFormat(SCHEMA));
  return JSON.parse(content).questions;
}

test('three questions name the topic of the last user message', async () => {
  const questions = await questionsAfter('How do I fix a flat tyre?');
  expect(questions).toHaveLength(3);
  for (const question of questions) expect(question).toMatch(/"flat tyre".*\?$/);
});

test('a message without a topic gets general questions', async () => {
  for (const question of await questionsAfter('')) expect(question).toMatch(/^[A-Z][^"]+\?$/);
});
