/** Project workflows for the tests of OpenAI's API. */

/** One agent. */
export const ECHO = `
export default workflow({
  description: 'Answers.',
  agents: () => [{ name: 'echo', description: 'Answers' }],
  example: 'Hello',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('echo', agent('echo', (state, { answer }) => answer('You are echo.')))
      .addEdge(START, 'echo').addEdge('echo', END),
});`;

/** An agent that asks before it answers. */
export const LETTER = `
export default workflow({
  description: 'Writes a letter that a person approves.',
  agents: () => [{ name: 'writer', description: 'Writes' }],
  example: 'Write a letter.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('writer', agent('writer', async (state, { answer }) => {
        const approved = interrupt({ question: 'May I write?' });
        const { content, ...rest } = await answer('You write letters.');
        return { ...rest, content: content + ' ' + JSON.stringify(approved) };
      }))
      .addEdge(START, 'writer').addEdge('writer', END),
});`;

/** Two agents that ask at the same time. */
export const PAIR = `
const asking = (name) => async () => ({ content: name + ' ' + JSON.stringify(interrupt({ from: name })) });
export default workflow({
  description: 'Two that ask.',
  agents: () => [{ name: 'left', description: 'l' }, { name: 'right', description: 'r' }],
  example: 'Ask.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('left', agent('left', asking('left'))).addNode('right', agent('right', asking('right')))
      .addEdge(START, 'left').addEdge(START, 'right').addEdge('left', END).addEdge('right', END),
});`;

/** A graph with messages that wasn't written for Skein; it repeats its input. */
export const SEEN = `
const State = Annotation.Root({ messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
const roles = (messages) => messages.map((one) => (one.role ?? one.getType()) + ' ' + JSON.stringify(one.content)).join('; ');
export default new StateGraph(State)
  .addNode('see', ({ messages }) => ({ messages: [new AIMessage('saw ' + roles(messages))] }))
  .addEdge(START, 'see').addEdge('see', END).compile();`;

export const GRAPHS = { echo: ECHO, letter: LETTER, pair: PAIR, seen: SEEN };
