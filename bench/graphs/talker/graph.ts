/** talker: emits 2,000 events over a few seconds, to measure listeners. */
import { Conversation, END, START, StateGraph, workflow } from '../../../graphs/skein.ts';

const EVENTS = 2_000;

export default workflow({
  description: 'Reports its status 2,000 times.',
  agents: () => [{ name: 'talker', description: 'Talks' }],
  example: 'Talk.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode(
        'talker',
        agent('talker', async (_state, { status }) => {
          for (let number = 1; number <= EVENTS; number++) {
            status(`line ${number}`);
            if (number % 5 === 0) await Bun.sleep(10);
          }
          return { content: `All ${EVENTS} lines are said.` };
        }),
      )
      .addEdge(START, 'talker')
      .addEdge('talker', END),
});
