/** `bun run pictures`: takes the pictures of the studio in `docs/images`, from a running service with sample data. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../../server/support/until.ts';
import { scriptedProvider } from '../../support/provider.ts';
import { providerEnv, SAMPLE_DATABASE, type TestService, testService } from '../../support/service.ts';
import { launchChromium, PROGRAM } from '../chromium.ts';
import { indexedPng } from './indexed-png.ts';
import { CASE_EXPECTATIONS, PEDAL, RIM, SALES, shopScript, WARRANTY, WEEK } from './shop.ts';

const FOLDER = join(import.meta.dir, '../../../docs/images');
const VIEW = { width: 1280, height: 720 };
const MAX_BYTES = 150_000;
const CONFIG = 'models: [{model: gpt-4o-mini, price: {input: 0.15, output: 0.6}}]\n';
const RESPONDER = 'classification-agent.support_responder.jinja';
const PROMPT =
  'You help customers of a bike shop whose message is about {{ category.name }}.\nAlways ask for a photo first.';
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

if (!PROGRAM) throw new Error('Chromium is not installed: apt-get install -y chromium');
mkdirSync(FOLDER, { recursive: true });
const provider = scriptedProvider(shopScript());
const service = await testService({
  config: CONFIG,
  env: {
    ...providerEnv(provider.url),
    ...SAMPLE_DATABASE,
    LLM_PROVIDER_MODEL: 'gpt-4o-mini',
    SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'true',
  },
});
const browser = await launchChromium();
try {
  await fillWeek(service);
  const asked = await askAll(service);
  const results = await runDataset(service);
  const page = await browser.newPage({ viewport: VIEW, colorScheme: 'light' });
  page.setDefaultTimeout(30_000);
  const open = (path: string) => page.goto(`${service.url}/studio${path}`);

  await open('/home');
  await page.locator('.figures-table').waitFor();
  await take(page, 'studio-home');

  await open(`/threads/ana?run=${asked.pedal}`);
  await page.locator('.graph-node[data-selected="true"]').waitFor();
  await page.getByText('Your name is Ana.').waitFor();
  await take(page, 'studio-conversation');

  await open(`/runs/${asked.pedal}?node=classification_agent`);
  await page.getByRole('list', { name: 'Waterfall' }).waitFor();
  await page.getByRole('tab', { name: 'Model calls 1' }).click();
  await page.locator('.call > summary').click();
  await page.getByText('You classify the last message').waitFor();
  await take(page, 'studio-run');

  await open(`/runs/${asked.pedal}?node=support_responder`);
  await page.getByRole('button', { name: 'Run again from here' }).click();
  await page.getByLabel('Content of messages 1').fill(RIM);
  await take(page, 'studio-run-again');
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('link', { name: 'Compare with original' }).click();
  await page.locator('.compare-table').waitFor();
  await page.locator('.diff-line[data-kind="added"]').first().waitFor();
  await take(page, 'studio-compare');

  await open(`/playground?run=${asked.pedal}&call=1`);
  await page.getByLabel('Prompt file of message 1').fill(PROMPT);
  await page.getByLabel('Temperature').fill('0.2');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('article', { name: 'Answer 1' }).waitFor();
  await take(page, 'studio-playground');

  await open(`/datasets/support?result=${results.at(-1)}`);
  await page.getByRole('region', { name: 'Regressed' }).locator('del').first().waitFor();
  await take(page, 'studio-dataset');
} finally {
  await browser.close();
  await service.close();
  await provider.close();
}

async function take(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready);
  const path = join(FOLDER, `${name}.png`);
  writeFileSync(path, indexedPng(await page.screenshot({ animations: 'disabled' })));
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes; at most ${MAX_BYTES} are allowed`);
  console.log(`${name}.png  ${Math.round(size / 1_000)} KB`);
}

/** Runs of a week, so that the home page has something to show. Meanwhile, the clock of this process is set back. */
async function fillWeek({ chat }: TestService): Promise<void> {
  const setLate = lateClock();
  for (const [index, questions] of WEEK.entries()) {
    const daysAgo = WEEK.length - index - 1;
    setLate(daysAgo * DAY_MS + HOUR_MS);
    const chats = questions.map((user_prompt) => chat({ user_prompt }));
    const more = Array.from({ length: 2 + ((index * 5) % 7) }, () =>
      chat({ user_prompt: PEDAL, thread_id: 'ben' }),
    );
    await Promise.all([...chats, ...more]);
  }
  setLate(0);
}

/** Returns a function that sets the clock back by a number of milliseconds. */
function lateClock(): (milliseconds: number) => void {
  const Exact = Date;
  let late = 0;
  const now = () => Exact.now() - late;
  globalThis.Date = new Proxy(Exact, {
    construct: (_, given) => (given.length === 0 ? new Exact(now()) : Reflect.construct(Exact, given)),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  return (milliseconds) => {
    late = milliseconds;
  };
}

async function askAll({ chat }: TestService): Promise<{ pedal: string }> {
  await chat({ user_prompt: WARRANTY, conversation_flow: 'knowledge-base-agent' });
  await chat({ user_prompt: SALES, conversation_flow: 'sql-manipulation-agent' });
  const { body } = await chat({ user_prompt: PEDAL, thread_id: 'ana' });
  await chat({ user_prompt: 'What is my name?', thread_id: 'ana' });
  return { pedal: body.run_id };
}

/** Two results, with a change of the prompt file in between. Returns their ids. */
async function runDataset(service: TestService): Promise<string[]> {
  const dataset = '/api/v1/datasets/support';
  for (const [prompt, contains] of CASE_EXPECTATIONS)
    await send(service, `${dataset}/cases`, { prompt, expect: { contains: [contains] } });
  const first = await resultOf(service, dataset);
  await send(service, `/api/v1/prompts/update/default/${RESPONDER}`, { content: PROMPT });
  return [first, await resultOf(service, dataset)];
}

async function resultOf(service: TestService, dataset: string): Promise<string> {
  const { result_id } = await send(service, `${dataset}/results`, { workflow: 'classification-agent' });
  await until(async () => {
    const response = await service.fetch(`${dataset}/results/${result_id}`);
    return ((await response.json()) as { status: string }).status === 'finished';
  }, 30_000);
  return result_id ?? '';
}

async function send({ fetch }: TestService, path: string, body: object): Promise<{ result_id?: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path} answers ${response.status}: ${await response.text()}`);
  return response.json() as Promise<{ result_id?: string }>;
}
