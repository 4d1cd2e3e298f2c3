/** The snippets on OpenAI's API in docs/connect.md work. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PYTHON_PACKAGES } from '../server/openai/python-packages.ts';
import { bearer, KEY, protectedConfig } from '../server/support/credentials.ts';
import { pythonWith, run } from '../server/support/python.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { snippetsOf } from './snippets.ts';

const provider = runningProvider();
const service = runningService(provider, protectedConfig());
const ANSWER = 'support_responder: re: My pedal is broken';

const snippets = await snippetsOf('connect.md', "OpenAI's API");
const of = (language: string) => snippets.filter((one) => one.language === language);
const pasted = (code: string) =>
  code.replaceAll('http://localhost:8080', service.url).replaceAll('YOUR_KEY', KEY);

const folder = mkdtempSync(join(tmpdir(), 'skein-docs-'));
symlinkSync(join(import.meta.dir, '../../node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true }));

let python: string | undefined;
beforeAll(async () => {
  python = await pythonWith(PYTHON_PACKAGES);
}, 600_000);

test('the page has a snippet for each client', () => {
  expect([of('ts').length, of('python').length, of('sh').length, of('yaml').length]).toEqual([2, 3, 2, 1]);
});

test.each(of('ts'))('TypeScript: $code', async ({ code }) => {
  const file = join(folder, `${Bun.hash(code)}.ts`);
  await Bun.write(file, pasted(code));
  const { code: exit, text } = await run([process.execPath, file]);
  expect({ exit, text }).toEqual({ exit: 0, text: expect.stringContaining(ANSWER) });
});

test.each(of('python'))(
  'Python: $code',
  async ({ code }) => {
    if (python === undefined) return;
    const file = join(folder, `${Bun.hash(code)}.py`);
    // LiteLLM would fetch its list of prices from the internet.
    const offline = 'import os\nos.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"\n';
    await Bun.write(file, offline + pasted(code));
    const { code: exit, text } = await run([python, file]);
    expect({ exit, text }).toEqual({ exit: 0, text: expect.stringContaining(ANSWER) });
  },
  120_000,
);

test('the shell commands work', async () => {
  const curl = of('sh').find(({ code }) => code.startsWith('curl')) ?? { code: '' };
  const keyed = pasted(curl.code).replace('curl ', `curl -s -H 'Authorization: Bearer ${KEY}' `);
  const { text } = await run(['sh', '-c', keyed]);
  expect(JSON.parse(text)).toMatchObject({ metadata: { thread_id: 'desk-7' } });
});

test('the settings of Open WebUI and LibreChat find the models', async () => {
  const env = pasted(of('sh').find(({ code }) => code.startsWith('OPENAI_'))?.code ?? '');
  const settings = Object.fromEntries(
    env
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  );
  const { endpoints } = Bun.YAML.parse(pasted(of('yaml')[0]?.code ?? '')) as {
    endpoints: { custom: { baseURL: string; apiKey: string; models: { default: string[] } }[] };
  };
  const [libreChat] = endpoints.custom;
  const places = [
    [settings.OPENAI_API_BASE_URL, settings.OPENAI_API_KEY],
    [libreChat?.baseURL, libreChat?.apiKey],
  ];
  for (const [url, key] of places) {
    const { data } = (await (await fetch(`${url}/models`, { headers: bearer(key) })).json()) as {
      data: { id: string }[];
    };
    expect(data.map(({ id }) => id)).toContain(libreChat?.models.default[0] ?? '');
  }
});
