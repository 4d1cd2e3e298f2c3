/** What handlers receive from the quiet manager, compared with LangChain's own. */
import { expect, spyOn, test } from 'bun:test';
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch';
import type { Callbacks } from '@langchain/core/callbacks/manager';
import { RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';
import {
  callbacksFor,
  type Quiet,
  QuietCallbacks,
  type StartedChain,
} from '../../../graphs/adoption/stream/quiet-callbacks.ts';

type Heard = Record<string, unknown>;

/** Records the starts of models and tools. */
function hearing(): { handler: BaseCallbackHandler; heard: Heard[] } {
  const heard: Heard[] = [];
  const handler = BaseCallbackHandler.fromMethods({
    handleChatModelStart: (_model, _messages, _runId, parent, _params, tags, metadata, name) =>
      void heard.push({ kind: 'model', hasParent: parent !== undefined, tags, ...known(metadata), name }),
    handleToolStart: (_tool, input, _runId, parent, tags, metadata, name) =>
      void heard.push({
        kind: 'tool',
        input,
        hasParent: parent !== undefined,
        tags,
        ...known(metadata),
        name,
      }),
  });
  return { handler, heard };
}

/** Without the ids that differ from run to run. */
function known({ langgraph_checkpoint_ns: _, __pregel_task_id: __, ...metadata }: Heard = {}): Heard {
  return { metadata: { ...metadata, checkpoint_ns: undefined } };
}

const ADMITTING: Omit<Quiet, 'handlers'> = { started() {}, async admit() {} };

const model = new FakeListChatModel({ responses: ['Hello.'] });
const echo = tool(({ text }) => text, { name: 'echo', schema: z.object({ text: z.string() }) });

function graphOf(node: () => Promise<object>) {
  const graph = new StateGraph(MessagesAnnotation).addNode('speaks', node).addEdge(START, 'speaks');
  return graph.addEdge('speaks', END).compile();
}

const speaking = () =>
  graphOf(async () => {
    await echo.invoke({ text: 'a' });
    const piped = RunnableLambda.from((text: string) => text).pipe(model);
    return { messages: [await piped.invoke('b', { tags: ['mine'], metadata: { plan: 'free' } })] };
  });

const run = (graph: ReturnType<typeof graphOf>, callbacks: Callbacks) =>
  graph.invoke({ messages: [] }, { callbacks, tags: ['outer'], metadata: { who: 'ana' } });

test("models and tools are reported with LangChain's tags and metadata", async () => {
  const stock = hearing();
  await run(speaking(), [stock.handler]);
  const { handler, heard } = hearing();
  const chains: StartedChain[] = [];
  const graph = speaking();
  const quiet = {
    handlers: [handler],
    ...ADMITTING,
    started: ({ tags, metadata }: StartedChain) => void chains.push({ tags, metadata }),
  };
  const callbacks = callbacksFor(graph, quiet);
  expect(callbacks).toBeInstanceOf(QuietCallbacks);
  await run(graph, callbacks);
  expect(heard.map(({ kind }) => kind)).toEqual(['tool', 'model']);
  expect(heard).toEqual(stock.heard);
  const nodes = chains.filter(({ tags }) => tags.some((tag) => tag.startsWith('graph:step:')));
  expect(nodes.map(({ metadata }) => metadata.langgraph_node)).toEqual(['__start__', 'speaks']);
});

test('its handlers receive no chains', async () => {
  const reported: string[] = [];
  const handler = BaseCallbackHandler.fromMethods({
    handleChainStart: () => void reported.push('start'),
    handleChainEnd: () => void reported.push('end'),
  });
  const graph = speaking();
  await run(graph, callbacksFor(graph, { handlers: [handler], ...ADMITTING }));
  expect(reported).toEqual([]);
});

test('other handlers receive the same chains as usual', async () => {
  const reported: [string, boolean][] = [];
  const note = (event: string, parent: string | undefined) =>
    void reported.push([event, parent !== undefined]);
  const other = BaseCallbackHandler.fromMethods({
    handleChainStart: (_chain, _input, _runId, parent) => note('start', parent),
    handleChainEnd: (_output, _runId, parent) => note('end', parent),
  });
  const { handler } = hearing();
  const heard = async (callbacks: (graph: object) => Callbacks) => {
    reported.length = 0;
    const inner = RunnableLambda.from((text: string) => text).pipe(RunnableLambda.from(() => 'c'));
    const graph = graphOf(async () => ({ messages: [await inner.invoke('b', { callbacks: [other] })] }));
    await run(graph, callbacks(graph));
    return [...reported];
  };
  const stock = await heard(() => [handler]);
  expect(stock.length).toBeGreaterThan(2);
  expect(await heard((graph) => callbacksFor(graph, { handlers: [handler], ...ADMITTING }))).toEqual(stock);
});

test('a call that is not admitted is not reported, and its node gets the reason', async () => {
  const { handler, heard } = hearing();
  const said = spyOn(console, 'error');
  const graph = graphOf(async () => ({ messages: [await model.invoke('b')] }));
  const admit = async () => Promise.reject(new Error('no room'));
  await expect(run(graph, callbacksFor(graph, { ...ADMITTING, handlers: [handler], admit }))).rejects.toThrow(
    'no room',
  );
  expect(heard).toEqual([]);
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
});

test('a node can send a custom event', async () => {
  const reported: unknown[] = [];
  const handler = BaseCallbackHandler.fromMethods({
    handleCustomEvent: (name: string, data: unknown) => void reported.push([name, data]),
  });
  const graph = graphOf(async () => {
    await dispatchCustomEvent('mine', { a: 1 });
    return { messages: [] };
  });
  await run(graph, callbacksFor(graph, { handlers: [handler], ...ADMITTING }));
  expect(reported).toEqual([['mine', { a: 1 }]]);
});

test('a graph of another copy of LangChain gets the handlers', () => {
  const { handler } = hearing();
  expect(callbacksFor({}, { handlers: [handler], ...ADMITTING })).toEqual([handler]);
});
