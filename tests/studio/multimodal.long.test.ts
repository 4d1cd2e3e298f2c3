/** Messages with more than text: images, audio, files and reasoning, in conversations, states and checkpoints. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type TestService, testService } from '../support/service.ts';
import { findings } from './axe.ts';
import { studioTests } from './browser.ts';
import { IMPORTS } from './graphs-of-others.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const LOOKING = `${IMPORTS}
const State = Annotation.Root({ ...MessagesAnnotation.spec, found: Annotation() });
export default new StateGraph(State)
  .addNode('look', async () => ({
    messages: [new AIMessage({ content: [
      { type: 'reasoning', reasoning: 'It has one pixel.' }, { type: 'text', text: 'A **red** pixel.' },
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data: '${PNG}' },
    ] })],
    found: { type: 'file', file: { filename: 'report.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
  })).addEdge(START, 'look').addEdge('look', END).compile();`;

const SVG = `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="window.harmed=1"/>')}`;

const QUESTION = [
  { type: 'text', text: 'What is this? <img src=x onerror="window.harmed=2">' },
  { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
  { type: 'image_url', image_url: { url: SVG } },
  { type: 'image_url', image_url: { url: 'https://evil.example/pixel.png?who=me' } },
  { type: 'image_url', image_url: { url: 'javascript:window.harmed=3' } },
  { type: 'image_url', image_url: { url: `data:image/png;base64,${btoa('not a picture at all')}` } },
  { type: 'input_audio', input_audio: { data: 'AAAA'.repeat(1_000), format: 'wav' } },
];

studioTests('contents of messages', (studio) => {
  let service: TestService;
  let thread = '';
  let run = '';
  const post = async (path: string, body: object) =>
    await (
      await service.fetch(path, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify(body),
      })
    ).json();
  beforeAll(async () => {
    service = await testService({ graphs: { looking: LOOKING } });
    thread = (await post('/threads', {})).thread_id;
    const input = { messages: [{ role: 'user', content: QUESTION }] };
    await post(`/threads/${thread}/runs/wait`, { assistant_id: 'looking', input });
    const { runs } = (await (await service.fetch('/api/v1/runs')).json()) as { runs: { run_id: string }[] };
    run = runs[0]?.run_id ?? '';
  });
  afterAll(() => service.close());

  async function open(path: string): Promise<{ page: Page; asked: string[] }> {
    const page = await studio.open('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url) && !request.url().startsWith('data:'))
        asked.push(request.url());
    });
    await page.goto(`${service.url}/studio${path}`);
    return { page, asked };
  }

  async function expectHarmless(page: Page, asked: string[]): Promise<void> {
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
    expect(asked).toEqual([]);
  }

  test('a conversation shows text as text, and images on request', async () => {
    const { page, asked } = await open(`/threads/${thread}`);
    const question = page.getByRole('article', { name: 'Question' });
    await question.getByText('What is this? <img src=x').waitFor();
    expect(await question.locator('img').count()).toBe(0);
    await question.getByText('image · image/png · 70 B').waitFor();
    await question.getByText('audio · audio/wav · 2.9 KB').waitFor();
    expect(await question.getByRole('button', { name: 'Show image' }).count()).toBe(1);
    await question.getByRole('button', { name: 'Show image' }).click();
    const picture = question.getByRole('img', { name: 'Image in the message' });
    await picture.waitFor();
    expect(
      await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).toBe(1);
    await question.getByText("Images of this type can't be shown.").waitFor();
    await question.getByText("The data isn't an image of this type.").waitFor();
    const links = await question
      .locator('a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual(['https://evil.example/pixel.png?who=me']);
    await question.getByText('javascript:window.harmed=3').click();
    const answer = page.getByRole('article', { name: 'Answer' });
    await answer.getByText('A red pixel.').waitFor();
    await answer.getByText('Reasoning').first().click();
    await answer.getByText('It has one pixel.').waitFor();
    await expectHarmless(page, asked);
    expect(await findings(page)).toEqual([]);
  });

  test('so do the checkpoints of the thread', async () => {
    const { page, asked } = await open(`/threads/${thread}/history`);
    await page.getByRole('tab', { name: 'State' }).click();
    const messages = page.getByRole('region', { name: 'messages' });
    await messages.getByText('image · image/png · 70 B').first().waitFor();
    await page.getByText('file · report.pdf · application/pdf · 3 B').waitFor();
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByText('image · image/png · 70 B').first().waitFor();
    await expectHarmless(page, asked);
  });

  test('so do the state and the output of a node', async () => {
    const { page, asked } = await open(`/runs/${run}?node=look`);
    const details = page.getByRole('region', { name: 'Node look' });
    await details.getByText('Structured result').click();
    await details.getByText('file · report.pdf · application/pdf · 3 B').waitFor();
    await details.getByRole('tab', { name: 'State' }).click();
    await details.getByRole('button', { name: 'Show image' }).first().click();
    await details.getByRole('img', { name: 'Image in the message' }).first().waitFor();
    await expectHarmless(page, asked);
    expect(await findings(page)).toEqual([]);
  });
});
