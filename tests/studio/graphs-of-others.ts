/** LangGraph graphs that weren't written for Skein, which the studio shows: tools, a loop, subgraphs, questions, data. */

const installed = (name: string) => Bun.resolveSync(name, import.meta.dir);
export const IMPORTS = `
import { MessagesAnnotation } from '${installed('@langchain/langgraph')}';
import { createReactAgent } from '${installed('@langchain/langgraph/prebuilt')}';
import { tool } from '${installed('@langchain/core/tools')}';
import { z } from '${installed('zod')}';
import { chatModel } from '${new URL('../../graphs/skein.ts', import.meta.url).pathname}';
`;

const TOOLS = `
const weather = tool(async ({ city }) => ({ city, sky: 'sunny', degrees: 24 }), {
  name: 'get_weather', description: 'The weather of a city', schema: z.object({ city: z.string() }) });
const order = tool(async () => { throw new Error('The shop is closed'); }, {
  name: 'place_order', description: 'Orders something', schema: z.object({ item: z.string() }) });
`;

/** The offline model calls the tools that the question names. */
const ASSISTANT = `${IMPORTS}${TOOLS}
export default createReactAgent({ llm: chatModel(), tools: [weather, order] });`;

/** Writes three drafts, and reports its progress. */
const LOOP = `${IMPORTS}
const State = Annotation.Root({ ...MessagesAnnotation.spec, drafts: Annotation({ reducer: (a, b) => a + b, default: () => 0 }) });
export default new StateGraph(State)
  .addNode('draft', async ({ drafts }, { writer }) => {
    writer({ progress: (drafts + 1) / 3, note: 'draft ' + (drafts + 1) });
    return { drafts: 1 };
  })
  .addNode('review', async ({ drafts }) => ({ messages: [new AIMessage('Draft ' + drafts + ' is reviewed.')] }))
  .addEdge(START, 'draft').addEdge('draft', 'review')
  .addConditionalEdges('review', ({ drafts }) => (drafts < 3 ? 'draft' : END), ['draft', END])
  .compile();`;

/** Three nested graphs. */
const NESTED = `${IMPORTS}
const say = (text) => async () => ({ messages: [new AIMessage(text)] });
const checks = new StateGraph(MessagesAnnotation)
  .addNode('facts', say('The facts hold.')).addNode('style', say('The style holds.'))
  .addEdge(START, 'facts').addEdge('facts', 'style').addEdge('style', END).compile();
const research = new StateGraph(MessagesAnnotation)
  .addNode('collect', say('Three sources.')).addNode('check', checks)
  .addEdge(START, 'collect').addEdge('collect', 'check').addEdge('check', END).compile();
export default new StateGraph(MessagesAnnotation)
  .addNode('plan', say('First I collect.')).addNode('research', research).addNode('write', say('It is written.'))
  .addEdge(START, 'plan').addEdge('plan', 'research').addEdge('research', 'write').addEdge('write', END).compile();`;

/** Two nodes ask at the same time, and a third repeats the answers. */
const TWO_QUESTIONS = `${IMPORTS}
const State = Annotation.Root({ ...MessagesAnnotation.spec, price: Annotation(), date: Annotation() });
export default new StateGraph(State)
  .addNode('ask_price', async () => ({ price: interrupt({ question: 'Is 400 € fine?' }) }))
  .addNode('ask_date', async () => ({ date: interrupt({ question: 'Which day?', days: ['Monday', 'Friday'] }) }))
  .addNode('book', async ({ price, date }) => ({ messages: [new AIMessage('Booked: ' + JSON.stringify([price, date]))] }))
  .addEdge(START, 'ask_price').addEdge(START, 'ask_date').addEdge(['ask_price', 'ask_date'], 'book').addEdge('book', END)
  .compile();`;

/** Requires more than a text as its input, and has a context. */
const TRIP = `${IMPORTS}
const State = Annotation.Root({ city: Annotation(), days: Annotation(), plan: Annotation() });
export default new StateGraph(State, z.object({ currency: z.string().default('EUR') }))
  .addNode('choose', async ({ city, days }, { context }) => ({ plan: days + ' days in ' + city + ', in ' + context?.currency }))
  .addNode('confirm', async ({ plan }) => ({ plan: plan + ', confirmed' }))
  .addEdge(START, 'choose').addEdge('choose', 'confirm').addEdge('confirm', END).compile();`;

/** Project graphs for `testService`. */
export const GRAPHS_OF_OTHERS = {
  assistant: ASSISTANT,
  loop: LOOP,
  nested: NESTED,
  questions: TWO_QUESTIONS,
  trip: TRIP,
};

/** Its tool requests this address, and waits for the response. */
export const askingAgent = (url: string) => `${IMPORTS}
const ask = tool(async () => (await fetch('${url}')).text(), { name: 'ask_shop', description: 'Asks', schema: z.object({}) });
export default createReactAgent({ llm: chatModel(), tools: [ask] });`;

/** The entry of `trip` in the list of workflows. */
export const TRIP_INPUT = {
  takes_prompt: false,
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' }, plan: { type: 'string' } },
    required: ['city', 'days'],
  },
  context_schema: { type: 'object', properties: { currency: { type: 'string' } } },
};

/** The input schema of `loop`. */
export const LOOP_INPUT = {
  type: 'object',
  properties: { messages: { type: 'array' }, drafts: { type: 'number' } },
};
