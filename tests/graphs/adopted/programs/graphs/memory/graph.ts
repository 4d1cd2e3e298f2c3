/** Remembers messages of a person across threads. */
import {
  END,
  getStore,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({ model: 'gpt-4o-mini' });

type State = typeof MessagesAnnotation.State;

const namespaceOf = ({ configurable }: LangGraphRunnableConfig) => [
  'memories',
  String(configurable?.user ?? 'nobody'),
];

async function remember({ messages }: State, config: LangGraphRunnableConfig) {
  const said = messages.at(-1)?.text ?? '';
  await config.store?.put(namespaceOf(config), said.toLowerCase().replace(/\W+/g, '-'), { said });
  return {};
}

async function recall({ messages }: State, config: LangGraphRunnableConfig) {
  const items = (await getStore()?.search(namespaceOf(config))) ?? [];
  const known = items.map(({ value }) => value.said).sort();
  const answer = await model.invoke([
    { role: 'system', content: `You are recall.` },
    ...messages,
    { role: 'user', content: `known: ${known.join(', ')}` },
  ]);
  return { messages: [answer] };
}

export default new StateGraph(MessagesAnnotation)
  .addNode('remember', remember)
  .addNode('recall', recall)
  .addEdge(START, 'remember')
  .addEdge('remember', 'recall')
  .addEdge('recall', END)
  .compile();
