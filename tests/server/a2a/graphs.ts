/** Project workflows for the tests of A2A. */
import { GRAPHS as COMMON } from '../openai/graphs.ts';

/** A graph that wasn't written for Skein: its input and output are fields. */
const TRIP = `
const State = Annotation.Root({ city: Annotation(), days: Annotation(), plan: Annotation() });
export default new StateGraph(State)
  .addNode('planner', ({ city, days }) => ({ plan: { city, nights: days - 1 } }))
  .addEdge(START, 'planner').addEdge('planner', END).compile();`;

/** A graph that uses fields in addition to its messages. */
const MIXED = `
const State = Annotation.Root({
  messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
  topic: Annotation(),
});
export default new StateGraph(State)
  .addNode('say', ({ messages, topic }) => ({ messages: [new AIMessage(topic + ': ' + JSON.stringify(messages[0].content))] }))
  .addEdge(START, 'say').addEdge('say', END).compile();`;

export const GRAPHS = { ...COMMON, trip: TRIP, mixed: MIXED };
