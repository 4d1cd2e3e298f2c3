/** GET /api/v1/threads/{thread_id}/messages during a run of LangGraph's protocol. */
import { expect, test } from 'bun:test';
import { IMPORTS } from '../../studio/graphs-of-others.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { callsOf } from '../support/thread-calls.ts';
import { until } from '../support/until.ts';

const TWO = `${IMPORTS}
import { AIMessage } from '${Bun.resolveSync('@langchain/core/messages', import.meta.dir)}';
export default new StateGraph(MessagesAnnotation)
  .addNode('first', async () => ({ messages: [new AIMessage('First.')] }))
  .addNode('second', async ({ messages }) => ({ messages: [await chatModel().invoke(messages)] }))
  .addEdge(START, 'first').addEdge('first', 'second').addEdge('second', END).compile();`;

const provider = runningProvider();
const service = runningService(provider, '', { two: TWO });
const call = callsOf(service);

test('after a run has ended, its messages include those of its nodes', async () => {
  provider.script = () => 'Second.';
  await service.chat({ conversation_flow: 'two', user_prompt: 'Go.', thread_id: 't' });
  const { checkpoints } = (await call('GET', '/threads/t/checkpoints')).body;
  const { checkpoint_id } = checkpoints.find(({ next }: { next: string[] }) => next.includes('first'));
  const { promise, resolve } = Promise.withResolvers<string>();
  provider.script = () => promise;
  provider.requests.length = 0;
  const { body: fork } = await call('POST', '/threads/t/fork', { checkpoint_id, run: true });
  const said = async () => {
    const { messages } = (await call('GET', `/threads/${fork.thread_id}/messages`)).body;
    return messages.map(({ content }: { content: string }) => content);
  };
  await until(() => provider.requests.length === 1, 20_000);
  expect(await said()).toEqual(['Go.']);
  resolve('At last.');
  await until(async () => (await said()).length === 3, 20_000);
  expect(await said()).toEqual(['Go.', 'First.', 'At last.']);
});
