/** one-agent: the smallest workflow that calls a model, to measure the service's overhead. */
import { Conversation, END, START, StateGraph, workflow } from '../../../graphs/skein.ts';

export default workflow({
  description: 'One agent that answers.',
  agents: () => [{ name: 'answerer', description: 'Answers' }],
  example: 'What is two and two?',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode(
        'answerer',
        agent('answerer', async (_state, { answer, prompt }) => answer(await prompt())),
      )
      .addEdge(START, 'answerer')
      .addEdge('answerer', END),
});
