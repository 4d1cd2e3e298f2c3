/** The service as its users meet it: started as a process of its own, with files of its own, and asked over HTTP. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const project = join(import.meta.dir, '..');
const files = mkdtempSync(join(tmpdir(), 'service-test-'));
let service: Bun.Subprocess<'ignore', 'pipe', 'inherit'>;
let url = '';

beforeAll(async () => {
  // Without .env and profiles.yml there is no provider: the built-in model answers, and no test costs anything.
  for (const name of ['config.yml', 'graphs', '.files'])
    if (existsSync(join(project, name))) symlinkSync(join(project, name), join(files, name));
  const main = join(project, 'node_modules', 'skein', 'cli', 'main.ts');
  const flags = ['--port', '0', '--host', '127.0.0.1', '--log-level', 'error'];
  service = Bun.spawn([process.execPath, '--no-env-file', main, 'serve', ...flags], {
    cwd: files,
    env: { PATH: process.env.PATH, HOME: files, SERVICE_WEB_CONFIGURATION__AUTHENTICATION__ENABLE: 'false' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let said = '';
  for await (const piece of service.stdout) {
    said += new TextDecoder().decode(piece);
    url = /listening on (\S+)/.exec(said)?.[1] ?? '';
    if (url !== '') return;
  }
  throw new Error(`the service ended before it listened:\n${said}`);
}, 60_000);

afterAll(async () => {
  service.kill('SIGTERM');
  await service.exited;
  rmSync(files, { recursive: true, force: true });
});

interface Answer {
  message?: string;
  outputs: { agent: string; data: unknown }[];
}

async function chat(conversation_flow: string, user_prompt: string) {
  const response = await fetch(`${url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ conversation_flow, user_prompt }),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

test('bike-insights answers with all of its agents', async () => {
  const document = await Bun.file(join(project, 'data', 'bike-insights.json')).text();
  const { status, body } = await chat('bike-insights', document);
  expect(status).toBe(200);
  const agents = body.outputs.map(({ agent }) => agent).sort();
  expect(agents).toEqual([
    'classification_agent',
    'education_expert',
    'knowledge_base_agent',
    'sql_manipulation_agent',
  ]);
}, 30_000);

test('what is no JSON document is refused with the place', async () => {
  const { status, body } = await chat('bike-insights', 'hello');
  expect(status).toBe(400);
  expect(body.message).toBe('Expecting value: line 1 column 1 (char 0)');
});
