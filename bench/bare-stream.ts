/** The baseline of `adopted.ts`: an Elysia handler around the graph with MemorySaver, with JSON and streaming responses. */
import { MemorySaver } from '@langchain/langgraph';
import { Elysia } from 'elysia';
import graph from './graphs/message-state/graph.ts';

graph.checkpointer = new MemorySaver();

async function* events(input: object, thread_id: string): AsyncGenerator<string> {
  const config = { configurable: { thread_id }, streamMode: 'messages' as const };
  for await (const [message] of await graph.stream(input, config))
    yield `event: token\ndata: ${JSON.stringify({ text: message.text })}\n\n`;
  yield 'event: end\ndata: {}\n\n';
}

const app = new Elysia()
  .post('/chat', async ({ body }) => {
    const { user_prompt, thread_id, stream } = body as Record<'user_prompt' | 'thread_id' | 'stream', string>;
    const input = { messages: [{ role: 'user', content: user_prompt }] };
    if (stream)
      return new Response(events(input, thread_id) as never, {
        headers: { 'content-type': 'text/event-stream' },
      });
    const state = await graph.invoke(input, { configurable: { thread_id } });
    return { thread_id, agent_response: state.messages.at(-1)?.text };
  })
  .listen({ port: 0, hostname: '127.0.0.1' });
console.log(`listening on http://127.0.0.1:${app.server?.port}`);
