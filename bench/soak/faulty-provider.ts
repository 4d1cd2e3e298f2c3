/** A provider with faults: six calls in a hundred fail in different ways, and it is down for 15 seconds every five minutes. Its argument is the seed. */
import { seeded } from '../../tests/faults/seeded.ts';
import { type ChatRequest, completion, eventStream, isStructured } from '../../tests/support/provider.ts';

const random = seeded(Number(process.argv[2] ?? 1));
const OUTAGE_EVERY_MS = 300_000;
const OUTAGE_MS = 15_000;
const began = performance.now();

const TEXT = 'Two and two make four, which is a plain answer of the length that models usually give to this.';
const STATEMENT = {
  sql: 'SELECT count(*) AS total FROM products',
  explanation: 'Counts the products.',
  tables: ['products'],
};

const FAULTS: ((request: ChatRequest) => Response | Promise<Response>)[] = [
  () => Response.json({ error: { message: 'Internal error' } }, { status: 500 }),
  () =>
    Response.json(
      { error: { message: 'Too many requests' } },
      { status: 429, headers: { 'retry-after': '1' } },
    ),
  () => new Response('<html><body>Bad gateway</body></html>', { headers: { 'content-type': 'text/html' } }),
  () => Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [] }),
  async (request) => eventStream((await completion(TEXT, { ...request, stream: true }).text()).slice(0, 400)),
  async () => {
    await Bun.sleep(20_000);
    return new Response('gateway timeout', { status: 504 });
  },
];

async function* slowly(text: string): AsyncGenerator<string> {
  for (const event of text.split(/(?<=\n\n)/)) {
    await Bun.sleep(10);
    yield event;
  }
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
    const body = (await request.json()) as ChatRequest;
    const since = (performance.now() - began) % OUTAGE_EVERY_MS;
    if (since > OUTAGE_EVERY_MS - OUTAGE_MS) return new Response('down', { status: 503 });
    if (random.below(100) < 6) return random.of(FAULTS)(body);
    await Bun.sleep(random.below(200));
    if (isStructured(body)) return completion(JSON.stringify(STATEMENT), body);
    if (!body.stream) return completion(TEXT, body);
    const whole = await completion(TEXT, body).text();
    return new Response(slowly(whole) as never, { headers: { 'content-type': 'text/event-stream' } });
  },
});
console.log(`listening on http://127.0.0.1:${server.port}`);
