/** Runs the steps of the project's Dockerfile without Docker, and the result as another user with read-only files. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE, ITS_KEY } from '../support/certificate.ts';
import { listening, spawnProcess } from '../support/process.ts';
import { runCommand } from '../support/run-command.ts';

setDefaultTimeout(300_000);

const root = mkdtempSync(join(tmpdir(), 'skein-container-'));
const [project, packages, app] = [join(root, 'project'), join(root, 'packages'), join(root, 'app')];
afterAll(() => rmSync(root, { recursive: true }));

const NOBODY = '65534';
const SETPRIV = process.getuid?.() === 0 ? Bun.which('setpriv') : undefined;
const AS_NOBODY = [SETPRIV ?? '', '--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', '--'];

const read = (name: string) => readFileSync(join(project, name), 'utf8');
const stepsOf = (kind: string) =>
  [...read('Dockerfile').matchAll(new RegExp(`^${kind} (.+)$`, 'gm'))].map(([, step = '']) => step);

async function run(command: string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawnProcess(command, cwd, { HOME: homedir(), ...env });
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  return { code: await child.exited, output: child.output() };
}

beforeAll(async () => {
  expect((await runCommand(['init', 'project', '--template', 'empty', '--yes'], root)).code).toBe(0);
  expect((await run([process.execPath, 'install'], project)).code).toBe(0);
});

test('the build requires the lock file and installs its packages', async () => {
  const [install = ''] = stepsOf('RUN');
  expect(install).toBe('bun install --production --frozen-lockfile');
  mkdirSync(packages);
  for (const name of ['package.json', 'vendor'])
    cpSync(join(project, name), join(packages, name), { recursive: true });
  cpSync(join(project, 'bun.lock'), join(packages, 'bun.lock'));
  const args = install.split(' ').slice(1);
  expect((await run([process.execPath, ...args], packages)).code).toBe(0);
  expect(stepsOf('COPY')[0]).toBe('package.json bun.lock ./');
});

test('compose binds to localhost and mounts the folders that are written', () => {
  const { services } = Bun.YAML.parse(read('compose.yml')) as {
    services: { service: Record<string, unknown> };
  };
  expect(services.service).toMatchObject({
    ports: [expect.stringMatching(/^\$\{SKEIN_BIND:-127\.0\.0\.1\}:8080:8080$/)],
    read_only: true,
    tmpfs: ['/tmp'],
    cap_drop: ['ALL'],
    volumes: ['state:/app/.tmp', 'prompts:/app/.files'],
  });
  const ignored = read('.dockerignore').split('\n');
  for (const name of ['.env', '.tmp/', 'node_modules/', '.git/']) expect(ignored).toContain(name);
});

describe.skipIf(!SETPRIV)('as a user who can write only to the volumes', () => {
  beforeAll(() => {
    mkdirSync(app);
    const ignored = read('.dockerignore')
      .split('\n')
      .map((name) => name.replace(/\/$/, ''));
    cpSync(project, app, {
      recursive: true,
      filter: (path) => !ignored.includes(path.slice(project.length + 1).split('/')[0] || '-'),
    });
    cpSync(join(packages, 'node_modules'), join(app, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    for (const name of ['.tmp', '.files', 'scratch']) {
      mkdirSync(join(app, name), { recursive: true });
      Bun.spawnSync(['chown', '-R', NOBODY, join(app, name)]);
    }
    writeFileSync(join(app, 'cert.pem'), CERTIFICATE);
    writeFileSync(join(app, 'key.pem'), ITS_KEY);
    chmodSync(root, 0o755);
  });

  const TLS = {
    SERVICE_WEB_CONFIGURATION__TLS__CERT: 'cert.pem',
    SERVICE_WEB_CONFIGURATION__TLS__KEY: 'key.pem',
  };

  test.each([
    ['HTTP', {}],
    ['HTTPS', TLS],
  ])('it serves, and its health check succeeds over %s', async (_, tls: Record<string, string>) => {
    const port = String(20_000 + (process.pid % 20_000));
    const env = {
      ...{ HOME: join(app, 'scratch'), TMPDIR: join(app, 'scratch'), WEB_PORT: port },
      ...{ SERVICE_WEB_CONFIGURATION__HOST: '127.0.0.1', SERVICE_TELEMETRY__LOG_LEVEL: 'error' },
      ...tls,
    };
    const command = (text = '') => [
      ...AS_NOBODY,
      process.execPath,
      ...(JSON.parse(text) as string[]).slice(1),
    ];
    const check = command(/CMD (\[.+\])/.exec(stepsOf('HEALTHCHECK')[0] ?? '')?.[1]);
    expect(await run(check, app, env)).toMatchObject({ code: 1 });
    const service = await listening(spawnProcess(command(stepsOf('CMD')[0]), app, env));
    expect(await run(check, app, env)).toMatchObject({ code: 0, output: expect.stringContaining('ready') });
    const answer = await fetch(`${service.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ conversation_flow: 'classification-agent', user_prompt: 'My bike broke' }),
      tls: { rejectUnauthorized: false },
    });
    expect(answer.status).toBe(200);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });
});
