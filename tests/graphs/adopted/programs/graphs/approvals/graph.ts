/** Asks two people in parallel, and writes one answer when both have answered. */
import {
  Annotation,
  Command,
  END,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({ model: 'gpt-4o-mini' });

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  offer: Annotation<string>,
  approvals: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
});

export default new StateGraph(State)
  .addNode('draft', async ({ messages }) => {
    const offer = await model.invoke([{ role: 'system', content: 'You are draft.' }, ...messages]);
    return { offer: offer.text };
  })
  .addNode('legal', ({ offer }) => {
    const answer: string = interrupt({ question: 'Is this legal?', offer });
    return { approvals: [`legal: ${answer}`] };
  })
  .addNode('sales', ({ offer }) => {
    const answer: string = interrupt({ question: 'Is this cheap enough?', offer });
    return { approvals: [`sales: ${answer}`] };
  })
  .addNode(
    'decide',
    ({ approvals }) =>
      new Command({ goto: approvals.every((one: string) => one.endsWith('yes')) ? 'send' : END }),
    { ends: ['send', END] },
  )
  .addNode('send', async ({ offer, approvals }) => {
    const content = `${offer} / ${approvals.join(', ')}`;
    const answer = await model.invoke([
      { role: 'system', content: 'You are send.' },
      { role: 'user', content },
    ]);
    return { messages: [answer] };
  })
  .addEdge(START, 'draft')
  .addEdge('draft', 'legal')
  .addEdge('draft', 'sales')
  .addEdge(['legal', 'sales'], 'decide')
  .addEdge('send', END)
  .compile();
