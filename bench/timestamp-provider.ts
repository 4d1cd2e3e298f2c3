/** A provider whose tokens contain the time at which they were sent, to measure their lag. */
const TOKENS = 20;
const PAUSE_MS = 30;

export interface TimestampProvider {
  url: string;
  stop(): Promise<void>;
}

export function startTimestampProvider(): TimestampProvider {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: () => new Response(tokens() as never, { headers: { 'content-type': 'text/event-stream' } }),
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

async function* tokens(): AsyncGenerator<string> {
  yield choice({ role: 'assistant', content: '' });
  for (let token = 0; token < TOKENS; token++) {
    await Bun.sleep(PAUSE_MS);
    yield choice({ content: `at ${(performance.timeOrigin + performance.now()).toFixed(2)} ` });
  }
  yield choice({}, 'stop');
  yield 'data: [DONE]\n\n';
}

function choice(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  const body = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
  return `data: ${JSON.stringify(body)}\n\n`;
}
