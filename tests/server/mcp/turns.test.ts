/** Workflows as tools, called by the official clients of each revision of the protocol. */
import { describe, expect, test } from 'bun:test';
import { echoing } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';
import { connected, firstConnected, structured, textOf } from './clients.ts';

const provider = runningProvider();
const GRAPHS = {
  asking: `const State = Annotation.Root({ topic: Annotation(), reply: Annotation() });
export default new StateGraph(State)
  .addNode('ask', async ({ topic }) => ({ reply: interrupt({ question: topic }) }))
  .addEdge(START, 'ask')
  .compile();`,
  'two-questions': `const State = Annotation.Root({ a: Annotation(), b: Annotation() });
export default new StateGraph(State)
  .addNode('first', async () => ({ a: interrupt('a?') }))
  .addNode('second', async () => ({ b: interrupt('b?') }))
  .addEdge(START, 'first')
  .addEdge(START, 'second')
  .compile();`,
  stopping: `const State = Annotation.Root({ topic: Annotation(), done: Annotation() });
export default new StateGraph(State)
  .addNode('work', async () => ({ done: true }))
  .addEdge(START, 'work')
  .compile({ interruptBefore: ['work'] });`,
  Fields: `import { z } from '${import.meta.resolve('zod')}';
const State = z.object({ city: z.string(), from: z.string(), people: z.number().int(), thread_id: z.string().optional() });
export default new StateGraph(State)
  .addNode('book', async ({ city, people }) => ({ city: city + ' for ' + people }))
  .addEdge(START, 'book')
  .compile();`,
  resume: `export default new StateGraph(Annotation.Root({ messages: Annotation() }))
  .addNode('say', async () => ({ messages: [new AIMessage('mine')] }))
  .addEdge(START, 'say')
  .compile();`,
  broken: `throw new Error('never');`,
};
const service = runningService(provider, '', GRAPHS);

const ASK = { name: 'classification_agent', arguments: { user_prompt: 'My pedal is broken' } };

describe.each(['auto', 'legacy'] as const)('%s', (mode) => {
  test('each workflow that can run is a tool', async () => {
    const client = await connected(service.url, { mode });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      ...['Fields', 'asking', 'classification_agent', 'knowledge_base_agent', 'query_database', 'resume'],
      ...['resume_workflow', 'search_documents', 'sql_manipulation_agent', 'stopping', 'two_questions'],
    ]);
    const named = (wanted: string) => tools.find(({ name }) => name === wanted);
    expect(named('classification_agent')).toMatchObject({
      title: 'classification-agent',
      inputSchema: {
        type: 'object',
        properties: { user_prompt: { type: 'string' }, thread_id: { type: 'string' } },
        required: ['user_prompt'],
      },
      outputSchema: { properties: { agent_response: { type: 'string' }, thread_id: { type: 'string' } } },
    });
    expect(named('Fields')?.inputSchema).toMatchObject({
      properties: { city: { type: 'string' }, people: { type: 'integer' }, thread_id: {} },
    });
  });

  test('a call is a turn, with the chat response as its structured content', async () => {
    const client = await connected(service.url, { mode });
    const result = await client.callTool(ASK);
    const { thread_id, run_id, agent_response } = structured(result);
    expect(textOf(result)).toBe(agent_response);
    expect(agent_response).toContain('support_responder: ');
    const run = await (await service.fetch(`/api/v1/runs/${run_id}`)).json();
    expect(run).toMatchObject({ thread_id, status: 'succeeded', user_prompt: 'My pedal is broken' });
    const next = await client.callTool({ ...ASK, arguments: { user_prompt: 'And now?', thread_id } });
    expect(structured(next).thread_id).toBe(thread_id);
    const texts = provider.requests.at(-1)?.messages.map(({ content }) => content);
    expect(texts).toContain('My pedal is broken');
  });

  test('a client that asks for progress is notified of each agent, in order', async () => {
    const client = await connected(service.url, { mode });
    const progress: unknown[] = [];
    await client.callTool(ASK, { onprogress: (one) => progress.push(one) });
    expect(progress).toEqual([
      { progress: 1, message: 'classification_agent started' },
      { progress: 2, message: 'classification_agent finished' },
      { progress: 3, message: 'support_responder started' },
      { progress: 4, message: 'support_responder is writing' },
      { progress: 5, message: 'support_responder finished' },
    ]);
  });

  test('an interrupt is a result that says so, and the tool resume answers it', async () => {
    const client = await connected(service.url, { mode });
    const waiting = await client.callTool({ name: 'asking', arguments: { topic: 'how many?' } });
    const { thread_id, event_type, interrupts } = structured(waiting);
    expect({ event_type, interrupts }).toMatchObject({
      event_type: 'interrupt',
      interrupts: [{ value: { question: 'how many?' }, agent: 'ask' }],
    });
    expect(textOf(waiting)).toContain('call the tool resume');
    const busy = await client.callTool({ name: 'asking', arguments: { topic: 'again', thread_id } });
    expect(textOf(busy)).toStartWith('THREAD_BUSY: ');
    const result = await client.callTool({ name: 'resume', arguments: { thread_id, value: { count: 3 } } });
    expect(structured(result)).toMatchObject({ event_type: null, values: { reply: { count: 3 } } });
    const late = await client.callTool({ name: 'resume', arguments: { thread_id, value: 4 } });
    expect(textOf(late)).toStartWith('NOT_INTERRUPTED: ');
  });

  test('several interrupts are answered by their ids, and a stop without an answer', async () => {
    const client = await connected(service.url, { mode });
    const { thread_id, interrupts } = structured(
      await client.callTool({ name: 'two_questions', arguments: { a: 0 } }),
    );
    const values = Object.fromEntries(
      interrupts.map(({ interrupt_id, value }: never) => [interrupt_id, value]),
    );
    expect(Object.keys(values)).toHaveLength(2);
    const one = await client.callTool({ name: 'resume', arguments: { thread_id, value: 1 } });
    expect(textOf(one)).toStartWith('INTERRUPT_AMBIGUOUS: ');
    const both = await client.callTool({ name: 'resume', arguments: { thread_id, values } });
    expect(structured(both).values).toEqual({ a: 'a?', b: 'b?' });
    const stopped = await client.callTool({ name: 'stopping', arguments: { topic: 'x' } });
    expect(textOf(stopped)).toContain('The workflow stopped before work.');
    const stoppedOn = { thread_id: structured(stopped).thread_id };
    const ended = await client.callTool({ name: 'resume', arguments: stoppedOn });
    expect(structured(ended).values).toEqual({ topic: 'x', done: true });
  });

  test("a graph's own fields are its arguments, also one with the name of a built-in argument", async () => {
    const client = await connected(service.url, { mode });
    const args = { city: 'Utrecht', people: 2, thread_id: 'trip' };
    const result = await client.callTool({ name: 'Fields', arguments: args });
    expect(structured(result)).toMatchObject({
      thread_id: 'trip',
      values: { city: 'Utrecht for 2', thread_id: 'trip' },
    });
    const wrong = await client.callTool({ name: 'Fields', arguments: { city: 1 } });
    expect(wrong.isError).toBeTrue();
    expect(textOf(wrong)).toMatch(/^INVALID_WORKFLOW_INPUT: .*city/s);
  });

  test('a failure is a result that states the reason', async () => {
    const client = await connected(service.url, { mode });
    const empty = await client.callTool({ name: 'classification_agent', arguments: { user_prompt: ' ' } });
    expect(textOf(empty)).toBe(
      'INVALID_REQUEST: The request is not valid: user_prompt: expected text, the message to the workflow',
    );
    const unnamed = await client.callTool({ ...ASK, arguments: { user_prompt: 'x', thread_id: '/' } });
    expect(textOf(unnamed)).toStartWith('INVALID_REQUEST: ');
    provider.script = () => new Response('no', { status: 400 });
    const failed = await client.callTool(ASK);
    expect(failed.isError).toBeTrue();
    expect(failed._meta?.['skein/error']).toMatchObject({ error_code: 'MODEL_CALL_FAILED', status: 'error' });
    const unknown = client.callTool({ name: 'nobody', arguments: {} });
    expect(await unknown.catch(({ code }) => code)).toBe(-32602);
    const broken = client.callTool({ name: 'broken', arguments: { user_prompt: 'x' } });
    expect(await broken.catch(({ code }) => code)).toBe(-32602);
  });

  test.each([true, false])(
    'a client that cancels ends its turn (with progress: %p)',
    async (withProgress) => {
      provider.script = echoing({ answer: () => new Promise<Response>(() => {}) });
      const client = await connected(service.url, { mode });
      const aborter = new AbortController();
      const onprogress = () => {};
      const call = client.callTool(ASK, { signal: aborter.signal, ...(withProgress && { onprogress }) });
      await until(() => provider.requests.length === 2);
      aborter.abort();
      expect(await call.catch(() => 'refused')).toBe('refused');
      // With the revision of 2025, a stateless service only learns of a cancellation when the connection is closed.
      if (mode === 'legacy') await client.close();
      await until(() => provider.aborted === 1, 2_000);
    },
  );
});

test('a client that shows forms asks the person itself, until all questions are answered', async () => {
  const questions: string[] = [];
  const person = (message: string) => {
    questions.push(message);
    return message.includes('how many') ? '{"count": 3}' : 'plain text';
  };
  const client = await connected(service.url, { person });
  const result = await client.callTool({ name: 'asking', arguments: { topic: 'how many?' } });
  expect(structured(result)).toMatchObject({ event_type: null, values: { reply: { count: 3 } } });
  const both = await client.callTool({ name: 'two_questions', arguments: { a: 0 } });
  expect(structured(both).values).toEqual({ a: 'plain text', b: 'plain text' });
  expect(questions).toEqual([
    'ask asks: {\n  "question": "how many?"\n}',
    ...['first asks: a?', 'second asks: b?'],
  ]);
});

test('closing a form leaves the thread waiting', async () => {
  const client = await connected(service.url, { person: () => undefined });
  const call = { name: 'asking', arguments: { topic: 'x', thread_id: 'closed' } };
  const result = await client.callTool(call);
  expect(result.isError).toBeTrue();
  expect(textOf(result)).toStartWith("No answer was given. The thread 'closed' still waits");
  const answered = await client.callTool({ name: 'resume', arguments: { thread_id: 'closed', value: 1 } });
  expect(structured(answered).values).toEqual({ topic: 'x', reply: 1 });
});

test('the client of the first package lists, calls and resumes', async () => {
  const client = await firstConnected(service.url);
  expect((await client.listTools()).tools).toHaveLength(11);
  const waiting = await client.callTool({ name: 'asking', arguments: { topic: 'x' } });
  const { thread_id } = structured(waiting as never);
  const resumed = await client.callTool({ name: 'resume', arguments: { thread_id, value: 1 } });
  expect(structured(resumed as never).values).toEqual({ topic: 'x', reply: 1 });
});
