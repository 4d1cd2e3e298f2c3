/** Projects of the other templates: created, installed from the packed package, type-checked, tested, validated, and served. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { streamChat } from '../../client/client.ts';
import { listening, type ServiceProcess, spawnProcess } from '../support/process.ts';
import { runCommand } from '../support/run-command.ts';

// It installs packages and starts services, on a machine that may be busy.
setDefaultTimeout(300_000);

// The user's home has the cache of packages.
const HOME = { HOME: homedir() };

const root = mkdtempSync(join(tmpdir(), 'skein-templates-'));
afterAll(() => rmSync(root, { recursive: true }));

test('an unknown template is rejected with the known ones', async () => {
  const { code, errors } = await runCommand(['init', 'none', '--template', 'nothing', '--yes'], root);
  expect(code).toBe(2);
  expect(errors).toContain("'--template': expected one of bike-insights, react-agent, supervisor, empty");
  expect(existsSync(join(root, 'none'))).toBe(false);
});

const CASES: { template: string; question: string; tools: string[] }[] = [
  { template: 'react-agent', question: 'How many TREK-9 are in stock?', tools: ['get_stock'] },
  {
    template: 'supervisor',
    question: 'Is TREK-9 in stock, and what does delivery to Utrecht take?',
    tools: ['get_delivery', 'get_stock'],
  },
  { template: 'empty', question: 'My pedal broke.', tools: [] },
];

describe.each(CASES)('a project of $template', ({ template, question, tools }) => {
  const project = join(root, template);
  const workflow = template === 'empty' ? 'classification-agent' : template;

  /** A command of Bun in the project's folder, such as one of its scripts. */
  async function run(...args: string[]) {
    const child = spawnProcess([process.execPath, ...args], project, HOME);
    await Promise.all([child.errors, Array.fromAsync(child.lines)]);
    return { code: await child.exited, output: child.output() };
  }

  let service: ServiceProcess | undefined;
  beforeAll(async () => {
    const { code, errors } = await runCommand(['init', template, '--template', template, '--yes'], root);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(await run('install')).toMatchObject({ code: 0 });
  });
  afterEach(async () => {
    service?.kill('SIGTERM');
    await service?.exited;
    service = undefined;
  });

  test('has its workflow, its settings and nothing of another template', () => {
    expect(existsSync(join(project, 'graphs', template, 'graph.ts'))).toBe(template !== 'empty');
    expect(existsSync(join(project, 'graphs', 'bike-insights'))).toBe(false);
    expect(existsSync(join(project, 'data'))).toBe(false);
    const config = readFileSync(join(project, 'config.yml'), 'utf8');
    expect(config.includes(`\n#   ${template}:\n`)).toBe(template !== 'empty');
  });

  test('passes the type check, its own tests and validation', async () => {
    expect(await run('run', 'typecheck')).toMatchObject({ code: 0 });
    const tested = await run('run', 'test');
    expect(tested.output).toContain(' 0 fail');
    expect(tested.code).toBe(0);
    const validated = await run('run', 'skein', 'validate', '--port', '0');
    expect(validated).toMatchObject({
      code: 0,
      output: expect.stringContaining(`workflow         ${workflow} (`),
    });
  });

  test('answers without a provider, and streams the tools that it calls', async () => {
    const flags = ['--port', '0', '--host', '127.0.0.1', '--log-level', 'error'];
    service = await listening(spawnProcess([process.execPath, 'run', 'start', ...flags], project, HOME));
    const request = { conversation_flow: workflow, user_prompt: question };
    const events = await Array.fromAsync(streamChat(service.url, request));
    const called = events.flatMap(({ event, data }) =>
      event === 'tool' && data.state === 'finished' ? [data.tool] : [],
    );
    expect(called.toSorted()).toEqual(tools);
    expect(events.some(({ event }) => event === 'token')).toBe(true);
    const answered = await run('run', 'skein', 'run', workflow, '--prompt', question, '--url', service.url);
    expect(answered.code).toBe(0);
    if (tools.length > 0) expect(answered.output).toContain('TREK-9: 2 in stock');
  });

  test('has a README with a graph that passes the type check and answers', async () => {
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(project, 'README.md'), 'utf8')) ?? [];
    await Bun.write(join(project, 'graphs', 'hello', 'graph.ts'), code);
    expect(await run('run', 'typecheck')).toMatchObject({ code: 0 });
    const answered = await run('run', 'skein', 'run', 'hello', '--prompt', 'I am Ana.', '--port', '0');
    expect(answered.output).toContain('Hello! You said: I am Ana.');
  });
});
