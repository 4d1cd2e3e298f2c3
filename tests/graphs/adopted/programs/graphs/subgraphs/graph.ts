/** Two subgraphs: a node with a shared key, and one that a node calls with its own state. */
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({ model: 'gpt-4o-mini' });

const answerOf = async (name: string, content: string) =>
  (
    await model.invoke([
      { role: 'system', content: `You are ${name}.` },
      { role: 'user', content },
    ])
  ).text;

const Research = Annotation.Root({
  question: Annotation<string>,
  sources: Annotation<string>,
  findings: Annotation<string>,
});

const research = new StateGraph(Research)
  .addNode('collect', async ({ question }) => ({ sources: await answerOf('collect', question) }))
  .addNode('condense', async ({ sources }) => ({ findings: await answerOf('condense', sources) }))
  .addEdge(START, 'collect')
  .addEdge('collect', 'condense')
  .addEdge('condense', END)
  .compile();

const Proof = Annotation.Root({ text: Annotation<string>, corrected: Annotation<string> });

const proofread = new StateGraph(Proof)
  .addNode('correct', async ({ text }) => ({ corrected: await answerOf('correct', text) }))
  .addEdge(START, 'correct')
  .addEdge('correct', END)
  .compile();

const Paper = Annotation.Root({
  ...MessagesAnnotation.spec,
  question: Annotation<string>,
  findings: Annotation<string>,
});

export default new StateGraph(Paper)
  .addNode('read', ({ messages }) => ({ question: messages.at(-1)?.text ?? '' }))
  .addNode('research', research)
  .addNode('publish', async ({ findings }) => {
    const { corrected } = await proofread.invoke({ text: findings });
    return { messages: [{ role: 'assistant', content: corrected }] };
  })
  .addEdge(START, 'read')
  .addEdge('read', 'research')
  .addEdge('research', 'publish')
  .addEdge('publish', END)
  .compile();
