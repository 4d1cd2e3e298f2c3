/** Secrets that a provider repeats or a caller guesses: no answer, event, log, metric or file contains them, not even encoded. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { listening, type ServiceProcess, spawnCommand } from '../support/process.ts';
import { CLASSIFIED, isStructured, type Reply, type Script, scriptedProvider } from '../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../support/service.ts';
import { ON_POSTGRES } from '../support/test-state.ts';

setDefaultTimeout(120_000);

// Each encoding changes some of these characters.
const SECRETS = {
  provider: 'sk-Pr0v/ider+key="one"&w\\x=',
  password: 'pass/W0rd+of="root"&w\\x=',
  jwt: 'jwt/Secret+0f="signing"&w\\x='.padEnd(48, 'z'),
  webhook: 'whsec/S1gns+the="hooks"&w\\x=',
};

/** All encodings in which a secret may appear; parts of its base64 don't depend on the text before it. */
function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((before) =>
    Buffer.from(' '.repeat(before) + secret)
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -8),
  );
  return [
    secret,
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    encodeURIComponent(secret),
    new URLSearchParams({ secret }).toString().slice('secret='.length),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    Buffer.from(secret).toString('hex'),
    secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  ];
}

const refused = (body: string, status: number) => () =>
  new Response(body, { status, headers: { 'content-type': 'application/json' } });
const KEY = SECRETS.provider;

/** Responses of a provider that knows the key. */
const ECHOES: Record<string, () => Reply> = {
  'a refusal with the key': refused(
    JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}.` } }),
    401,
  ),
  'a refusal with the header': refused(
    JSON.stringify({ error: { message: `Authorization: Bearer ${KEY}` } }),
    400,
  ),
  'a failure with the key in base64': refused(
    JSON.stringify({ error: { message: `proxy: ${Buffer.from(KEY).toString('base64')}` } }),
    500,
  ),
  'a failure with the key in an address': refused(
    JSON.stringify({
      error: { message: `POST /v1/chat?key=${encodeURIComponent(KEY)}`, code: KEY, type: KEY },
    }),
    404,
  ),
  'a web page': () => new Response(`<pre>${KEY}</pre>`, { headers: { 'content-type': 'text/html' } }),
};

const folder = mkdtempSync(join(tmpdir(), 'skein-secrets-'));
const provider = scriptedProvider();
const seen: { where: string; text: string }[] = [];
let service: ServiceProcess | undefined;
afterAll(async () => {
  service?.kill('SIGKILL');
  await service?.exited;
  await provider.close();
  rmSync(folder, { recursive: true });
});

function leaks(): string[] {
  return seen.flatMap(({ where, text }) =>
    Object.entries(SECRETS).flatMap(([name, secret]) =>
      formsOf(secret).flatMap((form, index) =>
        text.includes(form)
          ? [
              `${name}, form ${index}, in ${where}: ${text.slice(Math.max(0, text.indexOf(form) - 80)).slice(0, 200)}`,
            ]
          : [],
      ),
    ),
  );
}

/** Every file of the state and of the project, except its settings. */
function readFiles(path: string): void {
  for (const name of readdirSync(path)) {
    const file = join(path, name);
    if (statSync(file).isDirectory()) readFiles(file);
    else if (name !== 'config.yml')
      seen.push({ where: file.slice(folder.length), text: readFileSync(file, 'latin1') });
  }
}

test.skipIf(ON_POSTGRES)('no secret leaves the service', async () => {
  await Bun.write(join(folder, 'config.yml'), '');
  const settings = {
    ...WITHOUT_SAMPLES,
    ...providerEnv(provider.url),
    LLM_PROVIDER_API_KEY: KEY,
    SERVICE_WEBHOOKS__SECRET: SECRETS.webhook,
    SERVICE_WEB_CONFIGURATION__AUTHENTICATION__ENABLE: 'true',
    SERVICE_WEB_CONFIGURATION__AUTHENTICATION__ENABLE_GLOBAL_MIDDLEWARE: 'true',
    SERVICE_WEB_CONFIGURATION__AUTHENTICATION__USERNAME: 'root',
    SERVICE_WEB_CONFIGURATION__AUTHENTICATION__PASSWORD: SECRETS.password,
    SERVICE_WEB_CONFIGURATION__AUTHENTICATION__JWT_SECRET_KEY: SECRETS.jwt,
  };
  const command = ['serve', '--port', '0', '--host', '127.0.0.1', '--log-level', 'trace'];
  const started = await listening(spawnCommand(command, folder, settings));
  service = started;
  const call = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${started.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    seen.push({ where: `${path} ${response.status}`, text });
    seen.push({ where: `headers of ${path}`, text: JSON.stringify([...response.headers]) });
    return { status: response.status, text };
  };
  const login = await call('/api/v1/auth/login', { username: 'root', password: SECRETS.password });
  expect(login.status).toBe(200);
  await call('/api/v1/auth/login', { username: SECRETS.password, password: `${SECRETS.password}x` });
  await call('/api/v1/auth/login', { username: 'root', password: SECRETS.password, extra: SECRETS.password });
  const { access_token } = JSON.parse(login.text) as { access_token: string };
  const authorization = `Bearer ${access_token}`;
  const chat = (thread_id: string, headers = {}) =>
    call(
      '/api/v1/chat',
      { user_prompt: 'Hi', conversation_flow: 'classification-agent', thread_id },
      {
        authorization,
        ...headers,
      },
    );

  provider.script = (request) => (isStructured(request) ? CLASSIFIED : 'Fine.');
  expect((await chat('well')).status).toBe(200);
  for (const [index, echo] of Object.values(ECHOES).entries()) {
    const script: Script = (request) => (isStructured(request) && index % 2 === 0 ? CLASSIFIED : echo());
    provider.script = script;
    const { status, text } = await chat(`echo-${index}`);
    expect([status, text]).toEqual([500, expect.stringContaining('MODEL_CALL_FAILED')]);
    await chat(`stream-${index}`, { accept: 'text/event-stream' });
  }
  expect(provider.headers[0]?.get('authorization')).toBe(`Bearer ${KEY}`);

  const { runs } = JSON.parse((await call('/api/v1/runs?limit=100', undefined, { authorization })).text) as {
    runs: { run_id: string }[];
  };
  expect(runs.length).toBe(1 + 2 * Object.keys(ECHOES).length);
  for (const { run_id } of runs)
    for (const part of ['', '/stream', '/trace', '/calls'])
      await call(`/api/v1/runs/${run_id}${part}`, undefined, { authorization });
  for (const path of [
    '/api/v1/diagnostic',
    '/api/v1/health',
    '/metrics',
    '/openapi.json',
    '/api/v1/threads',
    '/',
  ])
    await call(path, undefined, { authorization });
  for (const header of ['authorization', 'x-api-key', 'last-event-id', 'idempotency-key'])
    await call('/api/v1/runs', undefined, { [header]: SECRETS.password });
  await until(() => started.output().includes('MODEL_CALL_FAILED'), 10_000);
  started.kill('SIGTERM');
  expect(await started.exited).toBe(0);
  await started.errors;
  seen.push({ where: 'the log', text: started.output() });
  readFiles(folder);
  expect(seen.length).toBeGreaterThan(60);
  expect(leaks()).toEqual([]);
});

test('a leak in any form is found', () => {
  for (const [index, form] of formsOf(KEY).entries()) {
    seen.splice(0, seen.length, { where: `form ${index}`, text: `before ${form} after` });
    expect(leaks().length).toBeGreaterThan(0);
  }
});
