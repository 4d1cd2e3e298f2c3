/** The requests of agent-chat-ui, one by one, as its page of another origin sends them. */
import { expect, test } from 'bun:test';
import { listen } from '../../support/listener.ts';
import { servedDesk } from '../support/desk.ts';

const ORIGIN = 'http://localhost:3000';
const project = servedDesk({ config: `web_configuration:\n  cors_origins: ["${ORIGIN}"]\n` });

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
type Wire = any;

function ask(path: string, body?: object): Promise<Response> {
  return project().service.fetch(path, {
    headers: { origin: ORIGIN, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}

const got = async (path: string, body?: object): Promise<Wire> => (await ask(path, body)).json();
const COMMON = { stream_mode: ['values', 'messages-tuple', 'custom'], assistant_id: 'desk' };
const RESUMABLE = { ...COMMON, stream_subgraphs: true, stream_resumable: true, on_disconnect: 'continue' };

/** The request with which it sends a message. */
const message = (text: string, checkpoint?: object) => ({
  input: { messages: [{ id: `id of ${text}`, type: 'human', content: [{ type: 'text', text }] }] },
  ...(checkpoint && { checkpoint }),
  ...RESUMABLE,
});

async function run(thread: string, body: object) {
  const response = await ask(`/threads/${thread}/runs/stream`, body);
  const { headers, status } = response;
  return { status, headers, events: await listen(response) };
}

const saidIn = ({ values }: Wire): string[] =>
  values.messages.map(({ content }: Wire) => (typeof content === 'string' ? content : content[0].text));
const newThread = async (): Promise<string> => (await got('/threads', {})).thread_id;
const historyOf = (thread: string): Promise<Wire[]> => got(`/threads/${thread}/history`, { limit: 10 });

/** The checkpoint to continue from, as the hook sends it. */
function checkpointOf({ thread_id, ...checkpoint }: Wire): object {
  return checkpoint;
}

test('its first requests check the service and list the threads', async () => {
  const info = await ask('/info');
  expect(info.ok).toBe(true);
  expect(info.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  const found = await got('/threads/search', { metadata: { graph_id: 'desk' }, limit: 100, offset: 0 });
  expect(found).toEqual([]);
});

test('a message on a new thread is streamed, and the thread is listed with that message', async () => {
  const thread = await newThread();
  expect(await historyOf(thread)).toEqual([]);
  const { status, headers, events } = await run(thread, message('hello'));
  expect(status).toBe(200);
  const path = headers.get('content-location') ?? '';
  expect(path).toMatch(new RegExp(`^/threads/${thread}/runs/[0-9a-f-]{36}$`));
  expect(headers.get('location')).toBe(`${path}/stream`);
  const exposed = headers.get('access-control-expose-headers') ?? '';
  for (const name of ['Location', 'Content-Location']) expect(exposed.split(', ')).toContain(name);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index));
  const pieces = events.filter(({ event }) => event.split('|')[0] === 'messages');
  expect(pieces.map(({ data }) => data[0].content).join('')).toBe('greet heard hello');
  expect(saidIn({ values: events.findLast(({ event }) => event === 'values')?.data })).toEqual([
    ...['hello', 'greet heard hello'],
  ]);
  const [listed] = await got('/threads/search', { metadata: { graph_id: 'desk' }, limit: 100, offset: 0 });
  expect(listed).toMatchObject({ thread_id: thread, values: { messages: [{ id: 'id of hello' }, {}] } });
  expect(saidIn((await historyOf(thread))[0])).toEqual(['hello', 'greet heard hello']);
  const rejoined = await listen(await ask(`${path}/stream?cancel_on_disconnect=0&stream_mode=`));
  expect(rejoined).toEqual(events);
});

test('an answer is regenerated from the checkpoint before it, and a message can be edited', async () => {
  const thread = await newThread();
  await run(thread, message('hello'));
  const first = (await historyOf(thread)).find(({ next }) => next.length === 0);
  const { events } = await run(thread, { checkpoint: checkpointOf(first.parent_checkpoint), ...RESUMABLE });
  expect(events.at(-1)?.event).toBe('end');
  const again = await historyOf(thread);
  expect(again.filter(({ next }) => next.length === 0).map(saidIn)).toEqual([
    ...[saidIn(first), saidIn(first)],
  ]);
  const oldest = again.at(-1);
  await run(thread, message('edited', checkpointOf(oldest.checkpoint)));
  const [edited] = await historyOf(thread);
  expect(saidIn(edited)).toEqual(['edited', 'greet heard edited']);
});

const asksIn = (events: Wire[]) =>
  events.filter(({ event, data }) => event === 'values' && data.__interrupt__).at(-1)?.data.__interrupt__;

test('a question is answered with a command and an empty input', async () => {
  const thread = await newThread();
  const { events } = await run(thread, message('an order'));
  expect(asksIn(events)).toMatchObject([{ value: { question: 'Ship it?' } }]);
  const [state] = await historyOf(thread);
  expect(state.tasks[0].interrupts).toMatchObject([{ value: { question: 'Ship it?' } }]);
  const answer = {
    input: {},
    command: { resume: [{ type: 'accept', args: null }] },
    on_disconnect: 'cancel',
  };
  const resumed = await run(thread, { ...answer, ...COMMON, checkpoint: checkpointOf(state.checkpoint) });
  expect(resumed.events.at(-1)?.event).toBe('end');
  const [after] = await historyOf(thread);
  expect(saidIn(after)).toEqual(['an order', 'greet heard an order', 'Shipped: [object Object]']);
  expect((await got(`/threads/${thread}`)).status).toBe('idle');
});

test('going to the end instead of answering asks again, as in LangGraph', async () => {
  const thread = await newThread();
  await run(thread, message('an order'));
  const left = await run(thread, {
    input: {},
    command: { goto: '__end__' },
    on_disconnect: 'cancel',
    ...COMMON,
  });
  expect(left.events.map(({ event }) => event)).not.toContain('error');
  const interrupts = asksIn(left.events);
  expect(interrupts).toMatchObject([{ value: { question: 'Ship it?' } }]);
  const [state] = await historyOf(thread);
  expect(state).toMatchObject({ next: ['review'], tasks: [{ interrupts: interrupts }] });
  expect((await got(`/threads/${thread}`)).status).toBe('interrupted');
});
