/** Project workflows for the tests of the AI SDK's protocol. */
import { ECHO, LETTER, PAIR, SEEN } from '../openai/graphs.ts';

/** Sends custom data in addition to its answer. */
const DATA = `
const State = Annotation.Root({ messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
export default new StateGraph(State)
  .addNode('tell', (state, { writer }) => {
    writer({ step: 1 });
    writer({ type: 'data-weather', id: 'rome', data: { degrees: 20 } });
    writer({ type: 'data-weather', id: 'rome', data: { degrees: 21 } });
    writer({ type: 'data-hint', data: 'soon over', transient: true });
    return { messages: [new AIMessage('told')] };
  })
  .addEdge(START, 'tell').addEdge('tell', END).compile();`;

/** Asks two questions in sequence. */
const TWICE = `
export default workflow({
  description: 'Asks twice.',
  agents: () => [{ name: 'asker', description: 'Asks' }],
  example: 'Ask.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('asker', agent('asker', async () => {
        const first = interrupt('first?');
        const second = interrupt('second?');
        return { content: first + ' and ' + second };
      }))
      .addEdge(START, 'asker').addEdge('asker', END),
});`;

/** Stops before its node. */
const STOPS = `
const State = Annotation.Root({ messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
export default new StateGraph(State)
  .addNode('end', () => ({ messages: [new AIMessage('went on')] }))
  .addEdge(START, 'end').addEdge('end', END).compile({ interruptBefore: ['end'] });`;

/** Says what it would do, asks, and then says `done` or nothing. */
const PLANNED = `
const State = Annotation.Root({ messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
export default new StateGraph(State)
  .addNode('plan', () => ({ messages: [new AIMessage('I would delete it.')] }))
  .addNode('ask', () => (interrupt('Sure?') === 'yes' ? { messages: [new AIMessage('done')] } : {}))
  .addEdge(START, 'plan').addEdge('plan', 'ask').addEdge('ask', END).compile();`;

export const GRAPHS = {
  echo: ECHO,
  letter: LETTER,
  pair: PAIR,
  seen: SEEN,
  data: DATA,
  twice: TWICE,
  stops: STOPS,
  planned: PLANNED,
};
