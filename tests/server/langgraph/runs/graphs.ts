/** Third-party graphs for the tests of runs over LangGraph's protocol. */

/** Counts, and waits or fails if its input says so. */
export const COUNTER = `
const State = Annotation.Root({
  messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
  n: Annotation({ reducer: (a, b) => a + b, default: () => 0 }),
  wait: Annotation(), fail: Annotation(),
});
class CustomError extends Error {}
export default new StateGraph(State)
  .addNode('first', () => ({ n: 1, messages: ['first'] }))
  .addNode('second', async ({ wait, fail }, { signal }) => {
    for (let left = wait ?? 0; left > 0 && !signal.aborted; left -= 5) await Bun.sleep(5);
    if (fail) throw new CustomError('Boo!');
    return { n: 1, messages: ['second'] };
  })
  .addEdge(START, 'first').addEdge('first', 'second').addEdge('second', '__end__')
  .compile();`;

/** The same graph, from a function that takes a while to create it. */
export const SLOW = COUNTER.replace(
  'export default new',
  'export default async () => { await Bun.sleep(100); return graph; };\nconst graph = new',
);

/** Asks a person two questions in sequence. */
export const ASKING = `
const State = Annotation.Root({ answers: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
export default new StateGraph(State)
  .addNode('ask', () => ({ answers: [interrupt('which?')] }))
  .addNode('again', () => ({ answers: [interrupt({ sure: true })] }))
  .addEdge(START, 'ask').addEdge('ask', 'again').addEdge('again', '__end__')
  .compile();`;

/** Asks a person, and fails at the answer `boom`. */
export const FRAIL = `
const State = Annotation.Root({ answers: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
export default new StateGraph(State)
  .addNode('ask', () => ({ answers: [interrupt('which?')] }))
  .addNode('then', ({ answers }) => {
    if (answers.at(-1) === 'boom') throw new Error('boom');
    return { answers: ['then'] };
  })
  .addEdge(START, 'ask').addEdge('ask', 'then').addEdge('then', '__end__')
  .compile();`;

/** Asks a person; depending on the answer, it fails, runs for a long time, or succeeds. */
export const STUBBORN = `
const State = Annotation.Root({ answers: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
export default new StateGraph(State)
  .addNode('ask', async (_, { signal }) => {
    const answer = interrupt('which?');
    if (answer === 'boom') throw new Error('boom');
    while (answer === 'wait' && !signal.aborted) await Bun.sleep(5);
    return { answers: [answer] };
  })
  .addEdge(START, 'ask').addEdge('ask', '__end__')
  .compile();`;

/** Asks two questions at the same time; one of them behaves like the graph above. */
export const TWO = STUBBORN.replace(
  ".addEdge(START, 'ask')",
  ".addNode('other', () => ({ answers: [interrupt('and?')] })).addEdge(START, 'other').addEdge('other', '__end__')\n  $&",
);

/** A LangChain model that streams, and a tool message. */
export const SPEAKING = `
const { FakeListChatModel } = await import(${JSON.stringify(import.meta.resolve('@langchain/core/utils/testing'))});
const { ToolMessage } = await import(${JSON.stringify(import.meta.resolve('@langchain/core/messages'))});
const { MessagesAnnotation } = await import(${JSON.stringify(import.meta.resolve('@langchain/langgraph'))});
const model = new FakeListChatModel({ responses: ['hello'] });
export default new StateGraph(MessagesAnnotation)
  .addNode('speak', async ({ messages }, config) => {
    config.writer?.({ progress: 1 });
    return { messages: [await model.invoke(messages)] };
  })
  .addNode('tool', () => ({ messages: [new ToolMessage({ content: 'done', tool_call_id: 'x' })] }))
  .addEdge(START, 'speak').addEdge('speak', 'tool').addEdge('tool', '__end__')
  .compile();`;
