/** Prompt files in the studio, edited like a user. */
import { beforeEach, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';
import { heldAnswer } from './held-answer.ts';
import { keyboardOf } from './keyboard.ts';

const RESPONDER = 'classification-agent.support_responder.jinja';

studioTests('prompts', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);
  let count = 0;
  /** A separate revision for each test. */
  let revision = '';
  beforeEach(() => {
    revision = `r${++count}`;
  });

  async function put(content: string, file = RESPONDER, at = revision): Promise<void> {
    const response = await service.fetch(`/api/v1/prompts/update/${at}/${file}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content }),
    });
    expect(response.status).toBe(200);
  }
  const stored = async (file = RESPONDER, at = revision) =>
    (await service.fetch(`/api/v1/prompts/view/${at}/${file}`)).text();

  const opened = (file = RESPONDER, at = revision) =>
    studio.open(`${service.url}/studio/prompts/${at}/${file}`);
  const editor = (page: Page) => page.getByRole('textbox', { name: /^Text of/ });
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
  const lines = async (page: Page) => {
    await editor(page).waitFor();
    return page.locator('.code-editor .cm-line').allTextContents();
  };

  async function write(page: Page, text: string): Promise<void> {
    await editor(page).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(text);
  }

  test('the list shows revisions, their files and the workflows that use them, and links to the editor', async () => {
    await put('Mine.');
    const page = await studio.open(`${service.url}/studio`);
    await page.getByRole('link', { name: 'Prompts' }).click();
    const all = page.getByRole('list', { name: 'Files of revision default' });
    await all
      .getByRole('listitem')
      .filter({ hasText: RESPONDER })
      .getByText('classification-agent', { exact: true })
      .waitFor();
    await page.getByRole('link', { name: `${revision} 1 file` }).click();
    await page.getByRole('heading', { name: 'Inherited from default' }).waitFor();
    await page
      .getByRole('list', { name: `Files of revision ${revision}` })
      .getByRole('link', { name: RESPONDER })
      .click();
    await editor(page).waitFor();
    expect(await lines(page)).toEqual(['Mine.']);
  });

  test('a saved change takes effect in the next answer', async () => {
    const page = await opened(RESPONDER, 'default');
    await write(page, 'Category: {{ category.name }}\nAlways answer in verse.');
    await page.getByText('Unsaved changes').waitFor();
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('My pedal broke');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('article', { name: 'Answer' }).getByText('re: My pedal broke').waitFor();
    const sent = provider.requests.at(-1)?.messages[0]?.content;
    expect(sent).toContain('Category: support\nAlways answer in verse.');
  });

  test('an invalid template is marked at the error, and rejected with line and column', async () => {
    await put('Good.');
    const page = await opened();
    await write(page, 'One\nTwo {{ category.name');
    const problem = (text: string) => page.locator('.problem', { hasText: text });
    await problem('Line 2, column 5: Unexpected end of input').waitFor();
    expect(await page.locator('.code-editor .cm-lintRange-error').textContent()).toBe('{{ category.name');
    await save(page).click();
    await problem('Not saved. Line 2, column 5: Unexpected end of input').waitFor();
    expect(await stored()).toBe('Good.');
    await write(page, 'Two {{ category.name }}');
    await problem('No problems').waitFor();
    await save(page).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toBe('Two {{ category.name }}');
  });

  test('a variable that the workflow does not provide is rejected at its first use', async () => {
    const page = await opened();
    await write(page, 'Hello\n{{ customer }}');
    await save(page).click();
    const words = "Line 2, column 4: the variable 'customer' is undefined; there are: category";
    await page.locator('.problem', { hasText: words }).waitFor();
  });

  test('the preview follows the text and the variables, and names what cannot be parsed', async () => {
    const page = await opened('greeting.jinja');
    await write(page, '{% for person in people %}Hello {{ person.name }}! {% endfor %}{{ wish | upper }}');
    const preview = page.getByRole('group', { name: 'Preview' });
    await preview.getByText('Hello people name! WISH').waitFor();
    await page.getByLabel('wish').fill('good day');
    await page.getByLabel('people').fill('[{"name": "Ada"}, {"name": "Alan"}]');
    await preview.getByText('Hello Ada! Hello Alan! GOOD DAY').waitFor();
    await page.getByLabel('people').fill('[{');
    await page.getByText('Fix the marked problem').waitFor();
    expect(await page.getByLabel('people').getAttribute('aria-invalid')).toBe('true');
  });

  test('if two users save, the second merges by hand and loses nothing', async () => {
    await put('One.\nTwo.\nThree.');
    const page = await opened();
    await write(page, 'One of mine.\nTwo.\nThree.');
    await put('One.\nTwo.\nThree of theirs.');
    await save(page).click();
    await page.getByRole('alert').getByText('Someone else has saved a newer version of this file.').waitFor();
    const text = page.locator('.code-editor');
    await text.getByText('One of mine.').waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await stored()).toBe('One.\nTwo.\nThree of theirs.');
    await text.getByRole('button', { name: 'Take theirs' }).last().click();
    await page.getByRole('button', { name: 'Save merged text' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toBe('One of mine.\nTwo.\nThree of theirs.');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('all changes of the other user can be taken, and undo restores your own', async () => {
    await put('One.');
    const page = await opened();
    await write(page, 'Mine.');
    await put('Theirs.');
    await save(page).click();
    await page.getByRole('button', { name: 'Use their version' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await lines(page)).toEqual(['Theirs.']);
    await editor(page).click();
    await page.keyboard.press('ControlOrMeta+z');
    expect(await lines(page)).toEqual(['Mine.']);
  });

  test('leaving with unsaved changes asks for a confirmation, and they survive a reload', async () => {
    await put('Saved before.');
    const page = await studio.open(`${service.url}/studio/prompts?revision=${revision}`);
    await page
      .getByRole('list', { name: `Files of revision ${revision}` })
      .getByRole('link')
      .click();
    await write(page, 'Not saved yet.');
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type());
      void (dialogs.length < 3 ? dialog.dismiss() : dialog.accept());
    });
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.goBack();
    await page.waitForURL(`**/prompts/${revision}/*`);
    expect(await lines(page)).toEqual(['Not saved yet.']);
    expect(dialogs).toEqual(['confirm', 'confirm']);
    await page.reload();
    expect(dialogs[2]).toBe('beforeunload');
    await page.getByText('Your unsaved changes were restored.').waitFor();
    expect(await lines(page)).toEqual(['Not saved yet.']);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await lines(page)).toEqual(['Saved before.']);
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    expect(dialogs).toHaveLength(3);
  });

  test('an older version can be compared with the text in the editor, and restored', async () => {
    await put('First.');
    await put('Second.');
    const page = await opened();
    await page.getByRole('tab', { name: 'Versions' }).click();
    const versions = page.getByRole('list', { name: 'Versions' }).getByRole('button');
    await versions.filter({ hasText: 'Version 2' }).getByText('Current').waitFor();
    await versions.filter({ hasText: 'Version 1' }).getByText('anonymous').waitFor();
    await versions.filter({ hasText: 'Version 1' }).click();
    const diff = page.getByRole('group', { name: 'Changes since version 1' });
    await diff.getByText('removed: First.').waitFor();
    await diff.getByText('added: Second.').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await versions.filter({ hasText: 'Version 3' }).getByText('Current').waitFor();
    expect(await lines(page)).toEqual(['First.']);
    expect(await stored()).toBe('First.');
  });

  test('the shipped text is the oldest version of a changed file', async () => {
    const file = 'classification-agent.other_responder.jinja';
    await put('Changed: {{ category.name }}', file, 'default');
    const page = await opened(file, 'default');
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Shipped version' }).click();
    await page
      .getByRole('group', { name: 'Changes since version 0' })
      .getByText('You are a helpful assistant.')
      .waitFor();
  });

  test('a file of a new revision starts with the text of default, and is created by saving', async () => {
    const page = await studio.open(`${service.url}/studio/prompts`);
    await page.getByRole('button', { name: 'New revision' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Revision name').fill('../x');
    await dialog.getByLabel('First file').fill('classification-agent.feedback_responder.exe');
    await dialog.getByRole('button', { name: 'Open in editor' }).click();
    await dialog.getByText('Up to 64 letters').waitFor();
    await dialog.getByText('ending in .jinja, .md or .txt').waitFor();
    await dialog.getByLabel('Revision name').fill(revision);
    await dialog.getByLabel('First file').fill('classification-agent.feedback_responder.jinja');
    await dialog.getByRole('button', { name: 'Open in editor' }).click();
    await page.locator('.code-editor').getByText('You answer praise').waitFor();
    expect((await service.fetch(`/api/v1/prompts/list/${revision}`)).status).toBe(404);
    await save(page).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored('classification-agent.feedback_responder.jinja')).toContain('You answer praise');
  });

  test('a dry run answers recent turns again, side by side, and shows the cost', async () => {
    provider.script = echoing({ answer: 'Send a photo of it.' });
    await service.chat({ user_prompt: 'My saddle broke' });
    const page = await opened(RESPONDER, 'default');
    await write(page, 'Category: {{ category.name }}\nBe short.');
    provider.script = echoing({ answer: 'Send a video of it.' });
    await page.getByRole('tab', { name: 'Dry run' }).click();
    await page.getByLabel('Turns').fill('1');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('1 turn, 1 with a different answer, 60 tokens').waitFor();
    await page.getByText('My saddle broke').waitFor();
    await page.locator('del').getByText('photo', { exact: true }).waitFor();
    await page.locator('ins').getByText('video', { exact: true }).waitFor();
    expect(await page.locator('ins').count()).toBe(1);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  test('a dry run can be cancelled, also at the provider', async () => {
    await service.chat({ user_prompt: 'My saddle broke' });
    const page = await opened(RESPONDER, 'default');
    await page.getByRole('tab', { name: 'Dry run' }).click();
    const held = heldAnswer();
    provider.script = echoing({ answer: held.reply });
    await page.getByLabel('Turns').fill('1');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('progressbar', { name: 'Dry run' }).waitFor();
    await held.called;
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('progressbar', { name: 'Dry run' }).waitFor({ state: 'detached' });
    while (provider.aborted === 0) await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(provider.aborted).toBe(1);
  });

  test('the editor can be reached, saved and left with the keyboard', async () => {
    await put('By hand.');
    const page = await opened();
    await editor(page).waitFor();
    await page.getByRole('link', { name: `Files of revision ${revision}` }).focus();
    await keyboardOf(page).tabTo(editor(page));
    await page.keyboard.type('Typed ');
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toBe('Typed By hand.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Versions', selected: true }).waitFor();
    await page.getByRole('button', { name: 'Version 2' }).waitFor();
  });

  test('a hostile text has no effect in the editor, the preview and the versions', async () => {
    const hostile = '<script>window.harmed = 1</script><img src=x onerror="window.harmed = 2">';
    await put(`${hostile}\nold`, 'hostile.jinja');
    await put(hostile, 'hostile.jinja');
    const page = await opened('hostile.jinja');
    await page.getByRole('group', { name: 'Preview' }).getByText('window.harmed = 1').waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Version 1' }).click();
    await page.getByText('removed: old').waitFor();
    expect(await page.locator('img, #root script').count()).toBe(0);
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
  });
});
