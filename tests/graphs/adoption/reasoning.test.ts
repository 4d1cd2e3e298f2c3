/** The reasoning in a model's message, in the formats of LangChain's packages. */
import { expect, test } from 'bun:test';
import { reasoningIn } from '../../../graphs/adoption/stream/reasoning.ts';

test.each([
  [
    'blocks of LangChain',
    {
      content: [
        { type: 'reasoning', reasoning: 'so' },
        { type: 'text', text: 'x' },
      ],
    },
    'so',
  ],
  ['blocks of Anthropic', { content: [{ type: 'thinking', thinking: 'so' }, { type: 'thinking' }] }, 'so'],
  ['a field beside the text', { content: 'x', additional_kwargs: { reasoning_content: 'so' } }, 'so'],
  [
    "summaries of OpenAI's Responses API",
    { content: [], additional_kwargs: { reasoning: { summary: [{ text: 's' }, { text: 'o' }] } } },
    'so',
  ],
  ['none', { content: 'x', additional_kwargs: { reasoning: 'none' } }, ''],
])('%s', (_, message, thought) => {
  expect(reasoningIn(message)).toBe(thought);
});
