/** Graphs for the tests of the event-streaming protocol; those of GRAPHS need no model provider. */
import { STUBBORN } from '../runs/graphs.ts';

const from = (name: string) => import.meta.resolve(name);

const MODELS = `
import { BaseChatModel } from '${from('@langchain/core/language_models/chat_models')}';
import { AIMessageChunk } from '${from('@langchain/core/messages')}';
import { ChatGenerationChunk } from '${from('@langchain/core/outputs')}';
import { MessagesAnnotation } from '${from('@langchain/langgraph')}';
import { ToolNode } from '${from('@langchain/langgraph/prebuilt')}';
import { tool } from '${from('@langchain/core/tools')}';
import { z } from '${from('zod')}';
class Scripted extends BaseChatModel {
  constructor(pieces) { super({}); this.pieces = pieces; }
  _llmType() { return 'scripted'; }
  async _generate() {
    const message = this.pieces.map((piece) => new AIMessageChunk({ content: '', ...piece })).reduce((a, b) => a.concat(b));
    return { generations: [{ message, text: message.text }] };
  }
  async *_streamResponseChunks(_messages, _options, manager) {
    for (const piece of this.pieces) {
      const message = new AIMessageChunk({ content: '', ...piece });
      const text = typeof message.content === 'string' ? message.content : '';
      yield new ChatGenerationChunk({ message, text });
      await manager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk: new ChatGenerationChunk({ message, text }) });
    }
  }
}
const said = (id, text) => new Scripted([
  ...text.split(/(?<= )/).map((content) => ({ id, content })),
  { id, response_metadata: { finish_reason: 'stop' }, usage_metadata: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } },
]);
`;

/** A model streams its answer word by word. */
const SPEAKER = `${MODELS}
export default new StateGraph(MessagesAnnotation)
  .addNode('agent', async ({ messages }) => {
    const model = said('answer-' + messages.length, 'You said ' + messages.at(-1).text);
    return { messages: [await model.invoke(messages)] };
  })
  .addEdge(START, 'agent').compile();`;

/** Asks two questions in sequence. */
const ASKER = `
const State = Annotation.Root({ request: Annotation(), answers: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
const ask = (question) => () => ({ answers: [interrupt({ question })] });
export default new StateGraph(State)
  .addNode('first', ask('one?')).addNode('second', ask('two?'))
  .addEdge(START, 'first').addEdge('first', 'second').compile();`;

/** Asks two questions at the same time. */
const BOTH = `
const State = Annotation.Root({ answers: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
const ask = (question) => () => ({ answers: [question + interrupt({ question })] });
export default new StateGraph(State)
  .addNode('left', ask('l')).addNode('right', ask('r'))
  .addEdge(START, 'left').addEdge(START, 'right').compile();`;

/** A tool is called in a subgraph, which also sends a custom event. */
const TOOLS = `${MODELS}
const weather = tool(async ({ city }, { writer }) => { writer?.({ name: 'progress', payload: { city } }); return 'Sunny in ' + city; },
  { name: 'weather', description: 'The weather', schema: z.object({ city: z.string() }) });
const call = (args, more) => ({ id: 'call-message', tool_call_chunks: [{ type: 'tool_call_chunk', index: 0, args, ...more }] });
const inner = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }, config) => {
    const pieces = [{ id: 'call-message', content: 'Let me look.' }, call('{"ci', { id: 'call-1', name: 'weather' }), call('ty":"Oslo"}')];
    return { messages: [await new Scripted(pieces).invoke(messages, config)] };
  })
  .addNode('tools', new ToolNode([weather]))
  .addEdge(START, 'model').addEdge('model', 'tools').compile();
export default new StateGraph(MessagesAnnotation).addNode('inside', inner).addEdge(START, 'inside').compile();`;

const FAILING = `
const State = Annotation.Root({ n: Annotation() });
class Wrong extends Error { name = 'Wrong'; }
export default new StateGraph(State).addNode('breaks', () => { throw new Wrong('it broke'); }).addEdge(START, 'breaks').compile();`;

/** Waits until the given file exists. */
const WAITER = `
const State = Annotation.Root({ file: Annotation(), done: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
export default new StateGraph(State)
  .addNode('waits', async ({ file }, { signal }) => {
    while (!(await Bun.file(file).exists())) { signal.throwIfAborted(); await Bun.sleep(5); }
    return { done: [file] };
  })
  .addEdge(START, 'waits').compile();`;

export const GRAPHS = {
  speaker: SPEAKER,
  asker: ASKER,
  both: BOTH,
  stubborn: STUBBORN,
  tools: TOOLS,
  failing: FAILING,
  waiter: WAITER,
};

/** Answers with a model of the provider, and asks a person about orders in a subgraph. */
export const deskOf = (provider: string) => `
import { AIMessage } from '${from('@langchain/core/messages')}';
import { MessagesAnnotation } from '${from('@langchain/langgraph')}';
import { ChatOpenAI } from '${from('@langchain/openai')}';
const configuration = { baseURL: '${provider}' };
const model = new ChatOpenAI({ model: 'test-model', maxRetries: 0, apiKey: 'key', configuration });
const ask = () => ({ messages: [new AIMessage('Shipped: ' + interrupt({ question: 'Ship it?' }))] });
const review = new StateGraph(MessagesAnnotation).addNode('ask', ask).addEdge(START, 'ask').compile();
const isOrder = ({ messages }) => messages.at(-2)?.text.includes('order');
export default new StateGraph(MessagesAnnotation)
  .addNode('greet', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode('review', review)
  .addEdge(START, 'greet')
  .addConditionalEdges('greet', (state) => (isOrder(state) ? 'review' : '__end__'))
  .compile();`;
