/** The values of a checkpoint, as people see them. */
import { expect, test } from 'bun:test';
import { HumanMessage } from '@langchain/core/messages';
import { readableValues } from '../../../runtime/threads/checkpoint-values.ts';

test('they are JSON: messages by role, and null for a value that JSON lacks', () => {
  const values = { messages: [new HumanMessage({ id: 'q', content: 'Hello' })], notes: undefined };
  expect(readableValues(values)).toMatchObject({
    messages: [{ id: 'q', role: 'user', content: 'Hello' }],
    notes: null,
  });
});
