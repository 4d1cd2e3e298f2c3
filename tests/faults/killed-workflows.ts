/** The workflows for the kill tests, their model's answers, and a project folder with them. */
import { join } from 'node:path';
import { type ChatRequest, isStructured, type Script } from '../support/provider.ts';
import { ON_POSTGRES } from '../support/test-state.ts';

const SKEIN = join(import.meta.dir, '../../graphs/skein.ts');

const IMPORTS = `import { AgentWork, Conversation, END, interrupt, START, StateGraph, Type, workflow } from ${JSON.stringify(SKEIN)};`;

/** The agents of `chain`, in order. The second one extracts, the others answer. */
export const CHAIN = ['one', 'two', 'three', 'four'];

const CHAIN_GRAPH = `${IMPORTS}
const shape = { name: 'facts', schema: Type.Object({ facts: Type.String() }) };
const speaker = (name) => async (_state, { answer }) => answer('You are ' + name);
const reader = async (_state, { extract }) => {
  const data = await extract(shape, 'You are two');
  return { content: data.facts, data };
};
// The process may also end between an agent's answer and its result.
const late = (node) => async (state, config) => {
  const update = await node(state, config);
  await Bun.sleep(40);
  return update;
};
export default workflow({
  description: 'Four agents in sequence.',
  example: 'Hello',
  agents: () => ['one', 'two', 'three', 'four'].map((name) => ({ name, description: name })),
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('one', agent('one', speaker('one')))
      .addNode('two', agent('two', reader))
      .addNode('three', late(agent('three', speaker('three'))))
      .addNode('four', agent('four', speaker('four')))
      .addEdge(START, 'one').addEdge('one', 'two').addEdge('two', 'three').addEdge('three', 'four').addEdge('four', END),
});`;

const ASKING_GRAPH = `${IMPORTS}
export default workflow({
  description: 'Asks a person before and after its model call.',
  example: 'Hello',
  agents: () => ['asker', 'closer'].map((name) => ({ name, description: name })),
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('asker', agent('asker', async (_state, { answer }) => {
        const first = interrupt('the first question');
        const said = await answer('You are asker');
        const second = interrupt('the second question');
        return { ...said, content: 'first ' + first + ', second ' + second };
      }))
      .addNode('closer', agent('closer', async (_state, { answer }) => answer('You are closer')))
      .addEdge(START, 'asker').addEdge('asker', 'closer').addEdge('closer', END),
});`;

const DEADLY_GRAPH = `${IMPORTS}
export default workflow({
  description: 'Takes the process down where it is told to.',
  example: 'Hello',
  agents: () => [{ name: 'deadly', description: 'deadly' }],
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('deadly', agent('deadly', async (state, { answer }) => {
        if (state.messages.at(-1).text !== 'Die.') return answer('You are deadly');
        // Long enough for its client to hear that it has begun.
        await Bun.sleep(${ON_POSTGRES ? 1_000 : 50});
        process.kill(process.pid, 'SIGKILL');
        return answer('You are deadly');
      }))
      .addEdge(START, 'deadly').addEdge('deadly', END),
});`;

/** Workflows that kill the process; if the prompt says twice, in the first two attempts at each place. */
const DYING = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
async function die(place, prompt) {
  const file = import.meta.dir + '/died-at-' + place;
  const died = existsSync(file) ? readFileSync(file, 'utf8').length : 0;
  if (prompt === 'Die twice.' && died >= 2) return;
  appendFileSync(file, 'x');
  // Long enough for its client to hear that it has begun.
  await Bun.sleep(${ON_POSTGRES ? 1_000 : 50});
  process.kill(process.pid, 'SIGKILL');
}`;

const STUBBORN_GRAPH = `${IMPORTS}${DYING}
const dying = (name) => async (state) => {
  await die(name, state.messages.at(-1).text);
  return { content: name };
};
export default workflow({
  description: 'Three agents, each of which ends the process twice.',
  example: 'Hello',
  agents: () => ['one', 'two', 'three'].map((name) => ({ name, description: name })),
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('one', agent('one', dying('one')))
      .addNode('two', agent('two', dying('two')))
      .addNode('three', agent('three', dying('three')))
      .addEdge(START, 'one').addEdge('one', 'two').addEdge('two', 'three').addEdge('three', END),
});`;

const STEPWISE_GRAPH = `${IMPORTS}${DYING}
const dying = (name, update) => async (state) => {
  await die(name, state.messages.at(-1).text);
  return update;
};
const work = (step) =>
  new StateGraph(AgentWork)
    .addNode('one', step('one', dying('one', {})))
    .addNode('two', step('two', dying('two', {})))
    .addNode('three', step('three', dying('three', { result: { content: 'done', data: null } })))
    .addEdge(START, 'one').addEdge('one', 'two').addEdge('two', 'three').addEdge('three', END);
export default workflow({
  description: 'One agent of three steps, each of which ends the process twice.',
  example: 'Hello',
  agents: () => [{ name: 'worker', description: 'worker' }],
  build: ({ agentGraph }) =>
    new StateGraph(Conversation)
      .addNode(...agentGraph('worker', work))
      .addEdge(START, 'worker').addEdge('worker', END),
});`;

export async function writeWorkflows(folder: string): Promise<void> {
  const graphs = {
    ...{ chain: CHAIN_GRAPH, asking: ASKING_GRAPH, deadly: DEADLY_GRAPH },
    ...{ stubborn: STUBBORN_GRAPH, stepwise: STEPWISE_GRAPH },
  };
  for (const [name, text] of Object.entries(graphs))
    await Bun.write(join(folder, 'graphs', name, 'graph.ts'), text);
}

/** The agent that makes a call: its system prompt says so. */
export function agentOf({ messages }: ChatRequest): string {
  return /^You are (\w+)/.exec(messages[0]?.content ?? '')?.[1] ?? '';
}

/** Every agent answers with a different text of several words, which contains the length of its input. */
export const saying: Script = (request) => textOf(request);

export function textOf(request: ChatRequest): string {
  const text = `Here ${agentOf(request)} says that it was shown ${request.messages.length} messages in all.`;
  return isStructured(request) ? JSON.stringify({ facts: text }) : text;
}
