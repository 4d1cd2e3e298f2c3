/** What ends a turn of any graph early: its own errors, limits and callers; the thread is then as before. */
import { afterAll, afterEach, beforeAll, expect, spyOn, test } from 'bun:test';
import { eventsOf } from '../../support/events.ts';
import { type ServedProject, serveProject } from './project.ts';
import { programScript } from './script.ts';
import { post, posted } from './turns.ts';

const IMPORTS = `
import { AIMessage } from '@langchain/core/messages';
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
const model = new ChatOpenAI({ model: 'gpt-4o-mini', maxRetries: 0 });
`;

const GRAPHS: Record<string, string> = {
  throwing: `
export default new StateGraph(MessagesAnnotation)
  .addNode('first', () => ({ messages: [new AIMessage('first')] }))
  .addNode('second', ({ messages }) => {
    if (messages.some(({ text }) => text === 'fail')) throw new Error('canary of the author');
    return { messages: [new AIMessage('second')] };
  })
  .addEdge(START, 'first').addEdge('first', 'second').addEdge('second', END).compile();`,
  retrying: `
let tries = 0;
export default new StateGraph(MessagesAnnotation)
  .addNode('flaky', async ({ messages }) => {
    const answer = await model.invoke(messages);
    if (++tries < 3) throw new Error('not yet');
    return { messages: [answer] };
  }, { retryPolicy: { maxAttempts: 3, initialInterval: 1, logWarning: false } })
  .addEdge(START, 'flaky').addEdge('flaky', END).compile();`,
  catching: `
const inner = new StateGraph(MessagesAnnotation).addNode('x', () => { throw new Error('inside'); })
  .addEdge(START, 'x').addEdge('x', END).compile();
export default new StateGraph(MessagesAnnotation)
  .addNode('outer', async (state) => {
    try { await inner.invoke(state); } catch (error) { return { messages: [new AIMessage('caught ' + error.message)] }; }
    return {};
  })
  .addEdge(START, 'outer').addEdge('outer', END).compile();`,
  endless: `
const State = Annotation.Root({ count: Annotation({ reducer: (left, right) => left + right, default: () => 0 }), limit: Annotation() });
const builder = new StateGraph(State).addNode('loop', () => ({ count: 1 })).addEdge(START, 'loop')
  .addConditionalEdges('loop', ({ count, limit }) => (count < limit ? 'loop' : END));
export default builder.compile();`,
  patient: `
const State = Annotation.Root({ count: Annotation({ reducer: (left, right) => left + right, default: () => 0 }), limit: Annotation() });
export default new StateGraph(State).addNode('loop', () => ({ count: 1 })).addEdge(START, 'loop')
  .addConditionalEdges('loop', ({ count, limit }) => (count < limit ? 'loop' : END)).compile()
  .withConfig({ recursionLimit: 40 });`,
  chain: `
const speak = (name) => async ({ messages }) =>
  ({ messages: [await model.invoke([{ role: 'system', content: 'You are ' + name + '.' }, ...messages])] });
export default new StateGraph(MessagesAnnotation).addNode('one', speak('one')).addNode('two', speak('two'))
  .addEdge(START, 'one').addEdge('one', 'two').addEdge('two', END).compile();`,
};

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject(
    Object.fromEntries(Object.entries(GRAPHS).map(([name, text]) => [name, `${IMPORTS}${text}`])),
  );
});
afterAll(() => project.close());
afterEach(() => {
  project.provider.script = programScript;
});

const ask = (conversation_flow: string, more: object) =>
  posted(project.service, '/chat', { conversation_flow, ...more });

test('an error of a node is a 500 without its text, and the thread is as before', async () => {
  const thread_id = 'throwing';
  const first = await ask('throwing', { thread_id, user_prompt: 'hello' });
  expect(first.body.values.messages).toHaveLength(3);
  const failed = await ask('throwing', { thread_id, user_prompt: 'fail' });
  expect(failed).toMatchObject({ status: 500, body: { error_code: 'INTERNAL_ERROR' } });
  expect(JSON.stringify(failed.body)).not.toContain('canary');
  const next = await ask('throwing', { thread_id, user_prompt: 'again' });
  expect(next.body.values.messages.map(({ content }: { content: string }) => content)).toEqual([
    ...['hello', 'first', 'second', 'again', 'first', 'second'],
  ]);
});

test('the stream of a failed turn names the node that failed', async () => {
  const events = await Array.fromAsync(
    eventsOf(
      await post(project.service, '/chat', {
        conversation_flow: 'throwing',
        user_prompt: 'fail',
        stream: true,
      }),
    ),
  );
  const agents = events
    .filter(({ event }) => event === 'agent')
    .map(({ data }) => `${data.agent} ${data.state}`);
  expect(agents).toEqual(['first started', 'first finished', 'second started', 'second failed']);
  expect(events.at(-2)).toMatchObject({ event: 'error', data: { error_code: 'INTERNAL_ERROR' } });
});

test("a failed provider is reported as such, whichever of the graph's own models called it", async () => {
  project.provider.script = () => Response.json({ error: { message: 'canary' } }, { status: 500 });
  const failed = await ask('chain', { thread_id: 'provider', user_prompt: 'hello' });
  expect(failed).toMatchObject({
    status: 500,
    body: { error_code: 'MODEL_CALL_FAILED', detail: 'the provider answered 500: canary' },
  });
  project.provider.script = programScript;
  expect((await ask('chain', { thread_id: 'provider', user_prompt: 'hello' })).status).toBe(200);
});

test('a node with a retry policy repeats everything in its next attempt', async () => {
  const events = await Array.fromAsync(
    eventsOf(
      await post(project.service, '/chat', {
        conversation_flow: 'retrying',
        user_prompt: 'hello',
        stream: true,
      }),
    ),
  );
  const agents = events
    .filter(({ event }) => event === 'agent')
    .map(({ data }) => `${data.state} ${data.attempt}`);
  expect(agents).toEqual(['started 1', 'started 2', 'started 3', 'finished 3']);
  let text = '';
  for (const { event, data } of events) {
    if (event === 'agent' && data.state === 'started') text = '';
    if (event === 'token') text += data.text;
  }
  expect(text).toBe(events.at(-2)?.data.agent_response);
});

test('an error inside a node that catches it fails only the inner task', async () => {
  const events = await Array.fromAsync(
    eventsOf(
      await post(project.service, '/chat', {
        conversation_flow: 'catching',
        user_prompt: 'hello',
        stream: true,
      }),
    ),
  );
  const agents = events
    .filter(({ event }) => event === 'agent')
    .map(({ data }) => `${data.agent} ${data.state}`);
  expect(agents).toEqual(['outer started', 'x started', 'x failed', 'outer finished']);
  expect(events.at(-2)).toMatchObject({ event: 'response', data: { agent_response: 'caught inside' } });
});

test('steps are limited by the settings, the graph and the request', async () => {
  const steps = (graph: string, limit: number, more: object = {}) =>
    ask(graph, { input: { limit }, ...more });
  expect((await steps('endless', 20)).body.values.count).toBe(20);
  expect(await steps('endless', 30)).toMatchObject({
    status: 500,
    body: { error_code: 'INTERNAL_ERROR', message: 'The workflow did not end within 25 steps' },
  });
  expect((await steps('endless', 30, { recursion_limit: 50 })).body.values.count).toBe(30);
  expect((await steps('patient', 30)).body.values.count).toBe(30);
  expect((await steps('patient', 30, { recursion_limit: 10 })).status).toBe(500);
  expect(await steps('patient', 1, { recursion_limit: 1001 })).toMatchObject({
    status: 400,
    body: { error_code: 'INVALID_REQUEST', detail: 'recursion_limit: at most 1000' },
  });
});

test("a budget stops a call of the graph's own model before it is made", async () => {
  const index = project.provider.requests.length;
  const said = spyOn(console, 'error');
  const over = await ask('chain', { thread_id: 'budget', user_prompt: 'hello', max_tokens_budget: 31 });
  expect(over).toMatchObject({ status: 500, body: { error_code: 'BUDGET_EXCEEDED' } });
  expect(project.provider.requests).toHaveLength(index + 1);
  // LangChain logs handlers that fail, but not this one, which rejects the call on purpose.
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
  const enough = await ask('chain', { thread_id: 'budget', user_prompt: 'hello', max_tokens_budget: 90 });
  expect(enough).toMatchObject({ status: 200, body: { token_count: 60 } });
  expect(enough.body.values.messages).toHaveLength(3);
});

/** A turn whose second node waits for its model. */
async function held(more: object) {
  const called = Promise.withResolvers<void>();
  project.provider.script = (request, index) => {
    if (!JSON.stringify(request.messages[0]).includes('two')) return programScript(request, index);
    called.resolve();
    return new Promise<Response>(() => {});
  };
  const response = await post(project.service, '/chat', {
    ...{ conversation_flow: 'chain', user_prompt: 'hello', stream: true },
    ...more,
  });
  return { called: called.promise, events: eventsOf(response) };
}

test('a cancelled turn ends, including its model call, and the thread is as before', async () => {
  const { aborted } = project.provider;
  const { called, events } = await held({ thread_id: 'cancelled' });
  const run = (await events.next()).value?.data.run_id;
  await called;
  expect((await posted(project.service, `/runs/${run}/cancel`, {})).status).toBeLessThan(300);
  const rest = await Array.fromAsync(events);
  expect(rest.at(-2)).toMatchObject({ event: 'error', data: { error_code: 'RUN_CANCELLED' } });
  const agents = rest
    .filter(({ event }) => event === 'agent')
    .map(({ data }) => `${data.agent} ${data.state}`);
  expect(agents).toEqual(['one started', 'one finished', 'two started', 'two failed']);
  expect(project.provider.aborted).toBe(aborted + 1);
  project.provider.script = programScript;
  const next = await ask('chain', { thread_id: 'cancelled', user_prompt: 'again' });
  expect(next.body.values.messages).toHaveLength(3);
});

test('a deadline ends a turn in the same way', async () => {
  const { events } = await held({ thread_id: 'late', deadline_seconds: 1 });
  const all = await Array.fromAsync(events);
  expect(all.at(-2)).toMatchObject({ event: 'error', data: { error_code: 'RUN_TIMEOUT' } });
  project.provider.script = programScript;
  const next = await ask('chain', { thread_id: 'late', user_prompt: 'again' });
  expect(next.body.values.messages).toHaveLength(3);
});
