/** An agent that is a graph: one agent from the outside, with checkpointed steps and an interrupt between two of them. */
import { expect, test } from 'bun:test';
import { allEvents, type SentEvent } from '../../support/events.ts';
import { conversationOf, echoing } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';

const STEPS = `
const Work = Annotation.Root({ ...AgentWork.spec, draft: Annotation() });
export default workflow({
  description: 'Drafts, asks, and sends.', example: 'Hello',
  agents: () => [{ name: 'clerk', description: 'C' }, { name: 'closer', description: 'D' }],
  build: ({ agent, agentGraph }) => new StateGraph(Conversation)
    .addNode(...agentGraph('clerk', (step) => new StateGraph(Work)
      .addNode('write', step('write', async (state, { answer, status }) => {
        status('drafting');
        return { draft: (await answer('You draft.')).content };
      }))
      .addNode('ask', step('ask', async ({ draft }) => ({ draft: draft + ' / ' + interrupt({ draft }) })))
      .addNode('send', step('send', async ({ draft }) => ({ result: { content: 'Sent: ' + draft, data: { draft } } })))
      .addEdge(START, 'write').addEdge('write', 'ask').addEdge('ask', 'send').addEdge('send', END)))
    .addNode('closer', agent('closer', async (state, { answer }) => answer('You close.')))
    .addEdge(START, 'clerk').addEdge('clerk', 'closer').addEdge('closer', END),
});`;

const provider = runningProvider();
const service = runningService(provider, '', { steps: STEPS });

const post = async (path: string, body: object) =>
  allEvents(
    await service.fetch(`/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true }),
    }),
  );

/** A short form of an event: `clerk started`, `write finished`, or the text of a token. */
const sketch = ({ event, data }: SentEvent): string => {
  if (data.state) return `${data.step ?? data.agent} ${data.state}`;
  return event === 'status' ? data.text : event;
};

test('its steps run once over an interrupt, and its result is one output and one remembered message', async () => {
  const ask = { user_prompt: 'hello', thread_id: 'steps', conversation_flow: 'steps' };
  const events = await post('/chat', ask);
  expect(events.map(sketch)).toEqual([
    ...['run', 'clerk started', 'write started', 'drafting', 'token', 'write finished', 'ask started'],
    ...['interrupt', 'response', 'end'],
  ]);
  expect(events.at(-3)?.data.value).toEqual({ draft: 're: hello' });
  const answered = await post('/threads/steps/resume', { value: 'yes' });
  expect(answered.map(sketch)).toEqual([
    ...['run', 'clerk started', 'ask started', 'ask finished', 'send started', 'send finished'],
    ...['clerk finished', 'closer started', 'token', 'closer finished', 'response', 'end'],
  ]);
  expect(provider.requests).toHaveLength(2);
  expect(answered.at(-2)?.data.outputs).toEqual([
    { agent: 'clerk', content: 'Sent: re: hello / yes', data: { draft: 're: hello / yes' } },
    { agent: 'closer', content: 're: Sent: re: hello / yes', data: null },
  ]);
  await post('/chat', { ...ask, conversation_flow: 'classification-agent', user_prompt: 'and?' });
  expect(conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] })).toEqual([
    ...['hello', 'Sent: re: hello / yes', 're: Sent: re: hello / yes', 'and?'],
  ]);
});

test('a failed step fails the agent, and the next turn does not see it', async () => {
  provider.script = echoing({ answer: () => Response.json({}, { status: 400 }) });
  const events = await post('/chat', { user_prompt: 'x', thread_id: 'fails', conversation_flow: 'steps' });
  expect(events.map(sketch)).toEqual([
    ...['run', 'clerk started', 'write started', 'drafting', 'write failed', 'clerk failed', 'error', 'end'],
  ]);
});

test('its steps are drawn inside it', async () => {
  const graph = async (query: string) =>
    (await (await service.fetch(`/api/v1/workflows/steps/graph${query}`)).json()) as {
      nodes: { id: string }[];
    };
  const inner = (await graph('?xray=true')).nodes.map(({ id }) => id);
  expect((await graph('')).nodes.map(({ id }) => id)).toContain('clerk');
  expect(inner.join(' ')).toContain('clerk:write');
});
