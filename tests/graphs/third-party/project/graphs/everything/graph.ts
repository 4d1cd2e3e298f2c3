/** Plans a trip with most features of LangGraph: Send, Command, a subgraph that asks a person, the store, the writer, an agent. */
import { appendFileSync } from 'node:fs';
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  Command,
  END,
  getWriter,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { model } from '../../model.ts';

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  seen: Annotation<string[]>({ reducer: (before, added) => [...before, ...added], default: () => [] }),
  hotel: Annotation<string>,
  city: Annotation<string>,
});

/** Records beside the project which nodes have run. */
const ran = (name: string) => appendFileSync(new URL('../../ran.txt', import.meta.url), `${name}\n`);

const look = (_state: unknown, { writer }: LangGraphRunnableConfig) => {
  ran('look');
  writer?.({ looking: true });
  return {};
};

const visit = ({ city }: { city: string }) => {
  ran(`visit ${city}`);
  getWriter()?.({ visited: city });
  return { seen: [city] };
};

const choose = ({ seen }: typeof State.State) => {
  ran('choose');
  const [city = ''] = seen.toSorted();
  return new Command({ update: { city }, goto: 'booking' });
};

const remember = async ({ city }: typeof State.State, { store }: LangGraphRunnableConfig) => {
  ran('remember');
  await store?.put(['trips', city], 'last', { city });
  const trips = (await store?.search(['trips'], { filter: { city } })) ?? [];
  return { seen: [`stored ${trips.length}`] };
};

const ask = ({ city, seen }: typeof State.State) => {
  const { hotel } = interrupt({ city, question: 'Which hotel?' }) as { hotel: string };
  ran('ask');
  return new Command({ graph: Command.PARENT, update: { hotel, seen: seen.slice(-1) }, goto: 'clerk' });
};

const booking = new StateGraph(State)
  .addNode('remember', remember)
  .addNode('ask', ask, { ends: [END] })
  .addEdge(START, 'remember')
  .addEdge('remember', 'ask')
  .compile();

const reserve = tool(
  ({ nights }: { nights: number }) => {
    ran('reserve');
    return `${nights} nights are reserved`;
  },
  { name: 'reserve', description: 'Reserves nights', schema: z.object({ nights: z.number() }) },
);

const tell = ({ city, hotel, messages }: typeof State.State) => {
  ran('tell');
  return { messages: [new AIMessage(`${city}, ${hotel}: ${messages.at(-1)?.text}`)] };
};

export default new StateGraph(State)
  .addNode('look', look)
  .addNode('visit', visit)
  .addNode('choose', choose, { ends: ['booking'] })
  .addNode('booking', booking, { ends: ['clerk'] })
  .addNode('clerk', createReactAgent({ llm: model, tools: [reserve] }))
  .addNode('tell', tell)
  .addEdge(START, 'look')
  .addConditionalEdges('look', () => ['Bonn', 'Ulm', 'Trier'].map((city) => new Send('visit', { city })), [
    'visit',
  ])
  .addEdge('visit', 'choose')
  .addEdge('clerk', 'tell')
  .addEdge('tell', END)
  .compile();
