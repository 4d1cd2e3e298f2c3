/** An essay with the functional API: tasks, two of them in parallel, and the previous result. */
import { entrypoint, getPreviousState, task } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({ model: 'gpt-4o-mini' });

const answerOf = async (name: string, content: string) =>
  (
    await model.invoke([
      { role: 'system', content: `You are ${name}.` },
      { role: 'user', content },
    ])
  ).text;

const outline = task('outline', (topic: string) => answerOf('outline', topic));
const section = task({ name: 'section', retry: { maxAttempts: 2 } }, (text: string) =>
  answerOf('section', text),
);
const conclude = task('conclude', (text: string) => answerOf('conclude', text));

interface Essay {
  essay: string;
  earlier: number;
}

export default entrypoint({ name: 'essay' }, async (topic: string) => {
  const earlier = getPreviousState<Essay>();
  const plan = await outline(topic);
  const sections = await Promise.all([section(`${plan} first`), section(`${plan} second`)]);
  const essay = await conclude(sections.join(' + '));
  return { essay, earlier: (earlier?.earlier ?? 0) + (earlier ? 1 : 0) };
});
