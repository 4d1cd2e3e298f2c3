/** The values of a checkpoint, as they are displayed. */
import { expect, test } from 'bun:test';
import { HumanMessage } from '@langchain/core/messages';
import { readableValues } from '../../../runtime/threads/checkpoint-values.ts';

test('values are converted to JSON: messages have roles, and a value that JSON lacks becomes null', () => {
  const values = { messages: [new HumanMessage({ id: 'q', content: 'Hello' })], notes: undefined };
  expect(readableValues(values)).toMatchObject({
    messages: [{ id: 'q', role: 'user', content: 'Hello' }],
    notes: null,
  });
});
