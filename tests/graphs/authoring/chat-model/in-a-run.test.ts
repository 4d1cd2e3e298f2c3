/** What a run records of `chatModel()` calls: tokens, records, usage and budget, wherever they are made. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { Conversation, chatModel, END, START, StateGraph } from '../../../../graphs/skein.ts';
import { type Provider, scriptedProvider } from '../../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../../support/service.ts';
import { inRun, TRIED, type Tried } from './node-of-test.ts';

let provider: Provider;
let service: TestService;

beforeAll(async () => {
  provider = scriptedProvider();
  service = await testService({ graphs: TRIED, env: providerEnv(provider.url) });
});
beforeEach(() => {
  provider.requests.length = 0;
  provider.script = () => 'All is well.';
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

const AGENT = { user_prompt: 'clerk, go on.' };
const model = chatModel();

/** The reported tokens by agent, and the agents of the recorded calls. */
function reportedBy({ events, calls, body }: Tried<unknown>) {
  const tokens = events.flatMap(({ event, data }) =>
    event === 'token' ? [`${data.agent}: ${data.text}`] : [],
  );
  return { tokens, calls: calls.map(({ agent, task }) => `${agent}: ${task}`), total: body?.token_count };
}

const ONCE = { tokens: ['speaker: All is well.'], calls: ['speaker: chat'], total: 30 };

describe('the run is found', () => {
  test("by the node's config, and without it", async () => {
    expect(reportedBy(await inRun(service, (_, config) => model.invoke('Hi', config)))).toEqual(ONCE);
    expect(reportedBy(await inRun(service, () => model.invoke('Hi')))).toEqual(ONCE);
    const late = inRun(service, async () => {
      await Bun.sleep(1);
      return Array.fromAsync(await model.stream('Hi'));
    });
    expect(reportedBy(await late)).toEqual(ONCE);
  });

  test('with a foreign config, in a runnable, and in a tool', async () => {
    const other = inRun(service, () => model.invoke('Hi', { configurable: { mine: 1 }, tags: ['mine'] }));
    expect(reportedBy(await other)).toEqual(ONCE);
    const chain = RunnableLambda.from((text: string) => text).pipe(model);
    expect(reportedBy(await inRun(service, () => chain.invoke('Hi')))).toEqual(ONCE);
    const ask = tool(async ({ q }: { q: string }) => (await model.invoke(q)).text, {
      name: 'ask',
      schema: z.object({ q: z.string() }),
    });
    expect(reportedBy(await inRun(service, () => ask.invoke({ q: 'Hi' })))).toEqual(ONCE);
  });

  test('by each of several concurrent runs', async () => {
    provider.script = ({ messages }) => `Said ${messages.at(-1)?.content}`;
    const runs = Array.from({ length: 8 }, (_, index) =>
      inRun(service, async ({ messages }) => (await model.invoke(String(messages.at(-1)?.content))).text, {
        user_prompt: `number ${index}`,
      }),
    );
    const all = await Promise.all(runs);
    expect(all.map(({ calls }) => calls.map(({ response }) => response))).toEqual(
      all.map((_, index) => [`Said number ${index}`]),
    );
  });
});

describe('its text', () => {
  test('is streamed as tokens of the inner node of a subgraph', async () => {
    const inner = new StateGraph(Conversation)
      .addNode('writer', async () => ({ messages: [await model.invoke('Hi')] }))
      .addEdge(START, 'writer')
      .addEdge('writer', END)
      .compile();
    const tried = await inRun(service, () => inner.invoke({ messages: [] }));
    expect(reportedBy(tried)).toEqual({
      tokens: ['writer: All is well.'],
      calls: ['writer: chat'],
      total: 30,
    });
  });

  test("is not streamed with LangGraph's nostream tag", async () => {
    const quiet = model.withConfig({ tags: ['nostream'] });
    expect(reportedBy(await inRun(service, () => quiet.invoke('Hi')))).toEqual({ ...ONCE, tokens: [] });
  });

  test('is also in the message stream of a graph that a node streams', async () => {
    const inner = new StateGraph(Conversation)
      .addNode('writer', async () => ({ messages: [await model.invoke('Hi')] }))
      .addEdge(START, 'writer')
      .addEdge('writer', END)
      .compile();
    const tried = await inRun(service, async () => {
      const pieces: string[] = [];
      for await (const [message] of await inner.stream({ messages: [] }, { streamMode: 'messages' }))
        pieces.push(message.text);
      return pieces;
    });
    expect(tried.value).toEqual(['All ', 'is ', 'well.', '']);
    expect(reportedBy(tried).tokens).toEqual(['writer: All is well.']);
  });
});

describe('in an agent of the service', () => {
  test("its tokens are the agent's, once, and the call is in the agent's record", async () => {
    const tried = await inRun(service, async () => (await model.invoke('Hi')).text, AGENT);
    expect(reportedBy(tried)).toEqual({ tokens: ['clerk: All is well.'], calls: ['clerk: chat'], total: 30 });
    const { run_id } = tried.body;
    const run = (await (await service.fetch(`/api/v1/runs/${run_id}`)).json()) as { agents: object[] };
    expect(run.agents).toMatchObject([
      {
        agent: 'clerk',
        state: 'finished',
        usage: { input_tokens: 20, output_tokens: 10 },
        calls: [{ task: 'chat' }],
      },
    ]);
  });

  test('so do calls in a subgraph of it', async () => {
    const inner = new StateGraph(Conversation)
      .addNode('writer', async () => ({ messages: [await model.invoke('Hi')] }))
      .addEdge(START, 'writer')
      .addEdge('writer', END)
      .compile();
    const tried = await inRun(
      service,
      async () => (await inner.invoke({ messages: [] })).messages.at(-1)?.text,
      AGENT,
    );
    expect(reportedBy(tried)).toEqual({ tokens: ['clerk: All is well.'], calls: ['clerk: chat'], total: 30 });
  });
});

describe('the budget', () => {
  test('stops a call before it is made', async () => {
    const tried = await inRun(service, () => model.invoke('a '.repeat(4_000)), { max_tokens_budget: 500 });
    expect(tried.error).toMatchObject({ error_code: 'BUDGET_EXCEEDED' });
    expect(provider.requests).toEqual([]);
    expect(tried.calls).toMatchObject([{ error_code: 'BUDGET_EXCEEDED', usage: { input_tokens: 0 } }]);
  });

  test('counts what earlier calls used, and the tools that are sent', async () => {
    const description = 'a '.repeat(500);
    const tools = [{ name: 'long', description, schema: { type: 'object' as const } }];
    const ask = (max_tokens_budget: number) =>
      inRun(
        service,
        async () => {
          await model.invoke('Hi');
          return model.bindTools(tools, { tool_choice: 'none' }).invoke('Hi');
        },
        { max_tokens_budget },
      );
    expect((await ask(200)).error?.detail).toMatch(/^30 tokens are used, the next call needs about \d{3},/);
    expect(provider.requests).toHaveLength(1);
  });
});
