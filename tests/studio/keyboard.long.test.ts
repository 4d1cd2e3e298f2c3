/** The studio without a mouse: with Tab, Enter, Escape and the arrow keys, and always with a focus. */
import { beforeEach, expect, test } from 'bun:test';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { studioTests } from './browser.ts';
import { IMPORTS } from './graphs-of-others.ts';
import { keyboardOf } from './keyboard.ts';

const RESPONDER = 'classification-agent.support_responder.jinja';

const APPROVAL = `${IMPORTS}
const say = (text) => async () => ({ messages: [new AIMessage(text)] });
export default new StateGraph(MessagesAnnotation)
  .addNode('approve', async () => ({ messages: [new AIMessage('Said: ' + interrupt('Go?'))] }))
  .addNode('act', say('Done.'))
  .addEdge(START, 'approve').addEdge('approve', 'act').addEdge('act', END).compile();`;

studioTests('by keyboard alone', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider, '', { approval: APPROVAL });
  beforeEach(() => {
    provider.script = echoing();
  });

  async function open(path = '') {
    const page = await studio.open(`${service.url}/studio${path}`);
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
    const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true });
    return { page, keyboard: keyboardOf(page), button, link, dialog: page.getByRole('dialog') };
  }

  test('from a question to its run, to a node, to its model call, and to a new version of its prompt', async () => {
    const { page, keyboard, button, link } = await open('?workflow=classification-agent');
    const message = page.getByLabel('Message', { exact: true });
    await keyboard.isOn(message);
    await keyboard.type('My pedal broke');
    await keyboard.press('Enter');
    await page.getByRole('article', { name: 'Answer' }).getByText('re: My pedal broke').waitFor();
    await button('Good answer').waitFor();
    await keyboard.isOn(message);
    await keyboard.activate(button('Good answer'), true);
    await page.getByRole('button', { name: 'Good answer', pressed: true }).waitFor();

    await keyboard.activate(link('Open'));
    await page.waitForURL(/\/studio\/runs\//);
    await keyboard.activate(page.locator('.graph-node button', { hasText: 'support_responder' }));
    await page.getByRole('region', { name: 'Node support_responder' }).waitFor();
    await keyboard.tabTo(page.getByRole('tab', { name: 'Overview' }));
    await keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Model calls 1', selected: true }).waitFor();
    await keyboard.activate(page.locator('.call > summary'));
    await keyboard.activate(link('Open in playground'));

    await keyboard.tabTo(page.getByLabel('Prompt file of message 1'));
    await keyboard.press('Control+a');
    await keyboard.type('Help with {{ category.name }}. Be kind.');
    await keyboard.activate(button('Send'));
    await page.getByRole('article', { name: 'Answer 1' }).waitFor();
    await keyboard.isOn(button('Send'));
    await keyboard.activate(button('Clear'));
    await keyboard.activate(button('Save as new version'));

    await page.getByText('Your unsaved changes were restored.').waitFor();
    await keyboard.activate(button('Save'));
    await page.getByText('Saved', { exact: true }).waitFor();
    await keyboard.isOn(button('Save'));
    const stored = await service.fetch(`/api/v1/prompts/view/default/${RESPONDER}`);
    expect(await stored.text()).toBe('Help with {{ category.name }}. Be kind.');
    await keyboard.tabTo(page.getByRole('textbox', { name: /^Text of/ }));
    await keyboard.type('Typed. ');
    await keyboard.activate(button('Discard'), true);
    await page.getByText('Saved', { exact: true }).waitFor();
    await keyboard.isOn(button('Discard'));
  });

  test('again from a checkpoint, with an edited question', async () => {
    await service.chat({ user_prompt: 'My chain broke', thread_id: 'again' });
    const { page, keyboard, button, link, dialog } = await open('/threads/again');
    await keyboard.activate(link('History'), true);
    const checkpoint = page.getByRole('link', { name: /next support_responder/ });
    await keyboard.activate(checkpoint);
    await page.waitForURL(/at=/);
    await keyboard.isOn(checkpoint);
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowUp');
    await page.locator('[aria-current="step"]', { hasText: 'next support_responder' }).waitFor();

    const again = button('Run again from here');
    await keyboard.activate(again, true);
    await dialog.getByLabel('Content of messages 1').waitFor();
    await keyboard.press('Escape');
    await keyboard.isOn(again);
    await keyboard.press('Enter');
    await keyboard.activate(dialog.getByRole('button', { name: 'Cancel' }));
    await keyboard.isOn(again);
    await keyboard.press('Enter');
    await keyboard.activate(dialog.getByRole('button', { name: 'Add message' }));
    await keyboard.activate(dialog.getByRole('button', { name: 'Remove messages 2' }), true);
    await keyboard.tabTo(dialog.getByLabel('Content of messages 1'), true);
    await keyboard.press('Control+a');
    await keyboard.type('My bell broke');
    await keyboard.activate(dialog.getByRole('button', { name: 'Run', exact: true }));
    // While the run ends, the agent's text can be shown beside the message.
    await page.getByRole('article', { name: 'Answer' }).getByText('re: My bell broke').first().waitFor();
    await keyboard.activate(link('Compare with original'), true);
    await page.getByRole('heading', { name: 'Compare runs' }).waitFor();
    await keyboard.isKept();
  });

  test('a run becomes a case, which is edited, run and deleted', async () => {
    const { body } = await service.chat({ user_prompt: 'My bell broke' });
    const { page, keyboard, button, dialog } = await open(`/runs/${body.run_id}`);
    page.on('dialog', (asked) => void asked.accept());
    await keyboard.begin();
    const add = button('Add to dataset');
    await keyboard.activate(add);
    await keyboard.isOn(dialog.getByLabel('Dataset'));
    await keyboard.press('Escape');
    await keyboard.isOn(add);
    await keyboard.press('Enter');
    await keyboard.isOn(dialog.getByLabel('Dataset'));
    await keyboard.type('walked');
    await keyboard.activate(dialog.getByRole('button', { name: 'Add', exact: true }));
    await page.getByRole('dialog', { name: 'Case added' }).waitFor();
    await keyboard.isOn(dialog.getByRole('button', { name: 'Close', exact: true }).last());
    await keyboard.activate(dialog.getByRole('link', { name: 'walked' }), true);

    const edit = button('Edit case: My bell broke');
    await keyboard.activate(edit);
    await keyboard.tabTo(dialog.getByLabel('Expected answer', { exact: true }));
    await keyboard.press('Control+a');
    await keyboard.type('re: My bell broke');
    await keyboard.activate(dialog.getByRole('button', { name: 'Save' }));
    await dialog.waitFor({ state: 'detached' });
    await keyboard.isKept();
    const workflow = page.getByLabel('Workflow', { exact: true });
    await keyboard.tabTo(workflow, true);
    while ((await workflow.inputValue()) !== 'classification-agent') await keyboard.press('ArrowUp');
    await keyboard.activate(button('Run'));
    await page.getByText('1 of 1 passed').first().waitFor();
    await keyboard.isOn(button('Run'));
    await keyboard.tabTo(page.getByRole('tab', { name: 'Results 1' }));
    await keyboard.press('ArrowLeft');
    await keyboard.activate(button('Delete case: My bell broke'));
    await page.getByText("Dataset 'walked' not found").waitFor();
    await keyboard.isKept();
  });

  test('Ctrl K opens a search result, and Escape returns the focus', async () => {
    await service.chat({ user_prompt: 'My fork squeaks', thread_id: 'found' });
    const { page, keyboard, link, dialog } = await open('/workflows');
    await keyboard.begin();
    await keyboard.tabTo(link('Home'));
    await keyboard.press('Control+k');
    const field = dialog.getByLabel('Search');
    await keyboard.isOn(field);
    await keyboard.press('Escape');
    await keyboard.isOn(link('Home'));
    await keyboard.press('Control+k');
    await keyboard.isOn(field);
    await keyboard.type('fork squeaks');
    await dialog
      .getByRole('option', { name: /My fork squeaks/ })
      .first()
      .waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowUp');
    await keyboard.press('Enter');
    await page.waitForURL(/\/studio\/threads\/found/);
    await keyboard.isOn(page.getByLabel('Message', { exact: true }));
    await keyboard.press('Control+k');
    await keyboard.isOn(field);
    await keyboard.type('Datasets');
    await dialog.getByRole('option', { name: /Datasets$/ }).waitFor();
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Datasets', exact: true }).waitFor();
    await keyboard.isKept();
  });

  test('questions of a person are answered, filters are set and removed, and dialogs are closed', async () => {
    await service.chat({ conversation_flow: 'approval', user_prompt: 'Go.', thread_id: 'asked' });
    const { page, keyboard, button, link, dialog } = await open('/threads/asked');
    await button('Approve').waitFor();
    await keyboard.activate(button('Approve'), true);
    await page.locator('.graph-node[data-status="good"]', { hasText: 'act' }).waitFor();
    await keyboard.isKept();
    await keyboard.activate(button('Rename'), true);
    await keyboard.tabTo(dialog.getByLabel('Title'));
    await keyboard.press('Control+a');
    await keyboard.type('An approval');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'An approval' }).waitFor();
    await keyboard.isOn(button('Rename'));
    await keyboard.activate(button('Delete'));
    await keyboard.activate(dialog.getByRole('button', { name: 'Delete', exact: true }));
    await page.waitForURL((url) => url.pathname.endsWith('/studio'));
    await keyboard.isKept();

    await keyboard.activate(link('Runs'));
    const status = page.getByLabel('Status', { exact: true });
    await keyboard.tabTo(status);
    await keyboard.press('ArrowDown');
    await page.waitForURL(/status=/);
    await keyboard.isOn(status);
    await keyboard.activate(button(/^Remove filter: status/));
    await page.waitForURL((url) => url.search === '');
    await keyboard.isKept();
  });
});
