/** Answers of a hostile model are shown as text and have no effect. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { studioTests } from './browser.ts';

const HOSTILE = `# Hello
<script>window.harmed = 1</script>

<img src=x onerror="window.harmed = 2"><iframe src="https://evil.example/"></iframe>
![a picture](https://evil.example/pixel.png?who=me)
[click me](javascript:window.harmed=3) and [me](JaVaScRiPt&colon;window.harmed=4) and [data](data:text/html,<script>1</script>)
[a good one](https://example.org/page) and <https://example.com/>

<svg onload="window.harmed = 5"><style>body{display:none}</style>

| <b onmouseover=alert(1)>cell</b> | \`<i>\` |
|---|---|
| ![x](//evil.example/y.png) | **bold** |
`;

studioTests('a hostile answer', (studio) => {
  const provider = runningProvider();
  const service = runningService(provider);

  async function shown(text: string, thread: string): Promise<{ page: Page; unwanted: string[] }> {
    provider.script = echoing({ answer: text });
    await service.chat({ user_prompt: 'Say something', thread_id: thread });
    const page = await studio.open('about:blank');
    const unwanted: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url) && !request.url().startsWith('data:'))
        unwanted.push(request.url());
    });
    page.on('dialog', (dialog) => {
      unwanted.push('a dialog');
      void dialog.dismiss();
    });
    await page.goto(`${service.url}/studio/threads/${thread}`);
    await page.getByRole('article', { name: 'Answer' }).waitFor();
    return { page, unwanted };
  }

  test('its scripts, images, frames and unsafe links have no effect', async () => {
    const { page, unwanted } = await shown(HOSTILE, 'markup');
    const answer = page.getByRole('article', { name: 'Answer' });
    await answer.getByRole('heading', { name: 'Hello' }).waitFor();
    expect(await answer.locator('script, img, iframe, style, svg[onload], b').count()).toBe(0);
    await answer.getByText('<script>window.harmed = 1</script>').waitFor();
    await answer.getByText('[image: a picture]').waitFor();
    await answer.getByText('click me').click();
    const links = await answer
      .locator('.markdown a')
      .evaluateAll((all) =>
        all.map((link) => [link.getAttribute('href'), link.getAttribute('rel'), link.getAttribute('target')]),
      );
    const safe = ['noopener noreferrer nofollow', '_blank'];
    expect(links).toEqual([
      ['https://example.org/page', ...safe],
      ['https://example.com/', ...safe],
    ]);
    await page.getByRole('button', { name: 'Dark' }).click();
    expect(await page.evaluate(() => (window as { harmed?: number }).harmed)).toBeUndefined();
    expect(unwanted).toEqual([]);
  });

  test('the page itself blocks foreign scripts, styles and addresses', async () => {
    studio.expectProblems(
      /Content Security Policy|Refused|Connecting to|Loading the|Executing inline|Applying inline|Fetch API/,
    );
    const { page } = await shown('Harmless', 'policy');
    const outcome = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.harmed = 1';
      document.body.append(script);
      const fetched = await fetch('https://evil.example/').then(
        () => 'answered',
        () => 'refused',
      );
      return { harmed: (window as { harmed?: number }).harmed, fetched };
    });
    expect(outcome).toEqual({ harmed: undefined, fetched: 'refused' });
  });

  test.each([
    ['huge', `${'word,'.repeat(20)} `.repeat(2_500)],
    ['full of marks', '_a*'.repeat(20_000)],
    ['nested', '>'.repeat(20_000)],
    ['one long word', 'x'.repeat(300_000)],
  ])('a text that is %s is shown, and the page keeps working', async (name, text) => {
    const { page } = await shown(text, `text-${name.replaceAll(' ', '-')}`);
    await page.getByLabel('Message', { exact: true }).fill('still here');
    const { width, inside } = await page.evaluate(() => ({
      width: document.documentElement.clientWidth,
      inside: document.documentElement.scrollWidth,
    }));
    expect(inside).toBe(width);
    const showAll = page.getByRole('button', { name: /^Show all/ });
    if (text.length > 100_000) await showAll.first().click();
    expect(await page.getByRole('article', { name: 'Answer' }).textContent()).toContain(
      text.trim().slice(-40),
    );
  });
});
