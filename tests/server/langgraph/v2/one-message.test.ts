/** The answer of a model call is one message, whichever of its chunks have the provider's ID. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { completion } from '../../../support/provider.ts';
import { runningProvider, runningService } from '../../support/running.ts';
import { deskOf } from './graphs.ts';

interface Piece {
  id: string;
  content: string;
  usage_metadata?: unknown;
}

const provider = runningProvider();
const service = runningService(provider, '', { desk: deskOf(provider.url) });

test('the last chunk of an OpenAI answer, which has usage but no ID, belongs to the message', async () => {
  provider.script = (request) => completion('Two words.', request);
  const client = new Client({ apiUrl: service.url, apiKey: null });
  const messages = [{ type: 'human', content: 'hello' }];
  const streamed = new Map<string, { text: string; usage: unknown }>();
  let pieces: Piece[] = [];
  const options = { input: { messages }, streamMode: ['messages-tuple' as const, 'values' as const] };
  for await (const { event, data } of client.runs.stream(null, 'desk', options)) {
    if (event === 'values') pieces = (data as unknown as { messages: Piece[] }).messages;
    if (event !== 'messages') continue;
    const [{ id, content, usage_metadata }] = data as unknown as [Piece];
    const { text, usage } = streamed.get(id) ?? { text: '', usage: undefined };
    streamed.set(id, { text: text + content, usage: usage ?? usage_metadata });
  }
  const answer = pieces.at(-1);
  expect(answer?.content).toBe('Two words.');
  expect([...streamed]).toEqual([
    [answer?.id ?? '', { text: 'Two words.', usage: expect.objectContaining({ total_tokens: 30 }) }],
  ]);
});
