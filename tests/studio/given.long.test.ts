/** The input of a node, and calls that belong to no agent. */
import { expect, test } from 'bun:test';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';

/** Its second node calls no model. */
const HANDS_ON = `
export default workflow({
  description: 'Hands on.',
  agents: () => [{ name: 'first', description: 'Asks' }, { name: 'second', description: 'Repeats' }],
  example: 'Go.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('first', agent('first', async (_state, { answer }) => answer('Rephrase the question.')))
      .addNode('second', agent('second', async () => ({ content: 'Repeated.' })))
      .addEdge(START, 'first').addEdge('first', 'second').addEdge('second', END),
});`;

studioTests('the input of a node', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, 'workflows: {classification-agent: {followup_questions: true}}', {
    'hands-on': HANDS_ON,
  });

  test('shows what its model was sent, or else the state before it, without the question of the turn', async () => {
    provider.script = echoing();
    await service.chat({ user_prompt: 'Before', thread_id: 'given', conversation_flow: 'hands-on' });
    const request = { user_prompt: 'A long document', thread_id: 'given', conversation_flow: 'hands-on' };
    const { body } = await service.chat(request);
    const page = await studio.open(`${service.url}/studio/runs/${body.run_id}`);
    const rows = page.getByRole('list', { name: 'Waterfall' }).getByRole('button');
    await rows.filter({ hasText: /^first/ }).click();
    const first = page.getByRole('region', { name: 'Node first' });
    await first.getByText('A long document', { exact: true }).waitFor();
    await first.getByText(/earlier messages?/).click();
    await first.getByText('Before', { exact: true }).waitFor();
    await rows.filter({ hasText: /^second/ }).click();
    const second = page.getByRole('region', { name: 'Node second' });
    await second.getByText('State at the start:').waitFor();
    await second.getByText('messages').first().waitFor();
    expect(await second.locator('.in-text').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
  });

  test('calls for follow-up questions are shown below the conversation, in the timeline and in the details', async () => {
    provider.script = echoing();
    const { body } = await service.chat({ user_prompt: 'What else?' });
    const page = await studio.open(`${service.url}/studio/runs/${body.run_id}`);
    const rows = page.getByRole('list', { name: 'Waterfall' }).getByRole('button');
    await rows.filter({ hasText: 'followup_questions · test-model' }).waitFor();
    await rows.filter({ hasText: /^conversation/ }).click();
    const calls = page.getByRole('region', { name: 'Conversation calls' });
    await calls.getByText('followup_questions').click();
    await calls.getByText('"Which model?"').first().waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Conversation', exact: true }).click();
    await page.getByRole('region', { name: 'Conversation calls' }).getByText('followup_questions').waitFor();
  });
});
