/** Writes jokes about several subjects in parallel, and picks the best. */
import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const model = new ChatOpenAI({ model: 'gpt-4o-mini' });

const OverallState = Annotation.Root({
  topic: Annotation<string>,
  subjects: Annotation<string[]>,
  jokes: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
  bestSelectedJoke: Annotation<string>,
});

const Subjects = z.object({ subjects: z.array(z.string()) });

async function generateTopics({ topic }: typeof OverallState.State) {
  const answer = await model.withStructuredOutput(Subjects, { name: 'subjects' }).invoke([
    { role: 'system', content: 'You are generateTopics.' },
    { role: 'user', content: topic },
  ]);
  return { subjects: answer.subjects };
}

async function generateJoke({ subject }: { subject: string }) {
  const joke = await model.invoke([
    { role: 'system', content: 'You are generateJoke.' },
    { role: 'user', content: subject },
  ]);
  return { jokes: [joke.text] };
}

async function bestJoke({ jokes }: typeof OverallState.State) {
  const best = await model.invoke([
    { role: 'system', content: 'You are bestJoke.' },
    { role: 'user', content: jokes.join(' | ') },
  ]);
  return { bestSelectedJoke: best.text };
}

export default new StateGraph(OverallState)
  .addNode('generateTopics', generateTopics)
  .addNode('generateJoke', generateJoke)
  .addNode('bestJoke', bestJoke)
  .addEdge(START, 'generateTopics')
  .addConditionalEdges(
    'generateTopics',
    ({ subjects }) => subjects.map((subject) => new Send('generateJoke', { subject })),
    ['generateJoke'],
  )
  .addEdge('generateJoke', 'bestJoke')
  .addEdge('bestJoke', END)
  .compile();
