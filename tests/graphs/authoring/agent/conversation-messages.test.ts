/** The part of a thread's conversation that a model sees. */
import { expect, test } from 'bun:test';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { conversationMessages } from '../../../../graphs/authoring/agent/conversation-messages.ts';

test('tool calls and their results are not part of the conversation', () => {
  const call = { id: 'c', name: 'add', args: { a: 1 }, type: 'tool_call' as const };
  const shown = conversationMessages('Be brief.', '', [
    new HumanMessage('Add one.'),
    new AIMessage({ content: '', tool_calls: [call] }),
    new ToolMessage({ content: '2', tool_call_id: 'c' }),
    new AIMessage('It is two.'),
    new HumanMessage('Thanks.'),
  ]);
  expect(shown).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Add one.' },
    { role: 'assistant', content: 'It is two.' },
    { role: 'user', content: 'Thanks.' },
  ]);
});
