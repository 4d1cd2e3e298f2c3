/** `skein run`: a turn with a prompt or with an input from a file or standard input, with and without a service. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../support/bare-environment.ts';
import { writeOrderGraph } from '../support/order-graph.ts';
import { type ServiceProcess, spawnService } from '../support/process.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'skein-run-'));
const INPUT = { item: 'saddle', count: 3, colour: 'red' };
let service: ServiceProcess | undefined;
beforeAll(async () => {
  await writeOrderGraph(folder);
  await Bun.write(join(folder, 'input.json'), JSON.stringify(INPUT));
  await Bun.write(join(folder, 'broken.json'), '{"item":}');
  service = await spawnService(folder);
});
afterAll(async () => {
  await stopped();
  rmSync(folder, { recursive: true });
});

async function stopped(): Promise<void> {
  service?.kill('SIGKILL');
  await service?.exited;
  service = undefined;
}

async function skein(text: string, ...args: string[]) {
  const at = service ? ['--url', service.url] : ['--port', '0'];
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN, ...args, ...at], {
    cwd: folder,
    env: BARE_ENVIRONMENT,
    stdin: new TextEncoder().encode(text),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, errors, code };
}
const run = (...args: string[]) => skein('', 'run', ...args);

test('a prompt is answered, and only the answer is printed', async () => {
  const { out, code } = await run('classification-agent', '--prompt', 'My pedal broke.');
  expect(code).toBe(0);
  expect(out).toContain('support_responder: ');
});

test('an input comes from a file or from standard input, a context from the command line', async () => {
  const interrupted = await run(
    'order',
    '--input',
    'input.json',
    '--thread',
    'a',
    '--context',
    '{"discount": 5}',
  );
  expect(interrupted.code).toBe(0);
  expect(interrupted.errors).toContain('Who delivers?');
  expect(interrupted.errors).toContain('To answer: skein chat --thread a');
  const ids = Array.from(interrupted.errors.matchAll(/^\w+ \((\S+)\):$/gm), ([, id]) => [id, 'ok']);
  const answered = await skein(JSON.stringify(Object.fromEntries(ids)), 'chat', '--thread', 'a');
  expect(answered).toMatchObject({ out: '3 red saddle for 115, ok, ok\n', code: 0 });

  const piped = await skein(JSON.stringify(INPUT), 'run', 'order', '--input', '-', '--json');
  expect(piped.code).toBe(0);
  const response = JSON.parse(piped.out);
  expect(response).toMatchObject({ workflow: 'order', event_type: 'interrupt', values: { each: 40 } });
  expect(response.interrupts).toHaveLength(2);
});

test('with both, the prompt is shown as the question', async () => {
  await run('order', '--input', 'input.json', '--prompt', 'Three saddles', '--thread', 'b');
  expect((await skein('', 'threads', 'show', 'b')).out).toContain('Three saddles');
});

test('a breakpoint is reported with how to continue', async () => {
  const { errors, code } = await run('stops', '--prompt', 'Hello', '--thread', 'c');
  expect(code).toBe(0);
  expect(errors).toEndWith(
    'Stopped before second.\nTo continue it, send an empty message: skein chat --thread c\n',
  );
  expect(await skein('', 'chat', '--thread', 'c')).toMatchObject({ out: 'second was here\n', code: 0 });
});

test.each<[string, string[], string]>([
  [
    'an input that the graph rejects',
    ['order', '--input', '-'],
    'The workflow does not accept this input: input',
  ],
  ['a workflow that is not there', ['nothing', '--prompt', 'a'], 'Invalid workflow type specified: '],
  ['a missing file', ['order', '--input', 'nowhere.json'], 'nowhere.json: no such file or directory'],
])('%s is an error', async (_name, args, message) => {
  const { out, errors, code } = await skein('{"item": 1}', 'run', ...args);
  expect({ out, code }).toEqual({ out: '', code: 1 });
  expect(errors).toContain(message);
});

test.each<[string[], string]>([
  [[], "'arguments': expected one workflow"],
  [['order', 'stops'], "'arguments': expected one workflow"],
  [['order'], "'arguments': expected --prompt TEXT, or --input"],
  [['order', '--input', 'broken.json'], "'--input': not JSON. Expecting value: line 1 column 9 (char 8)"],
  [['order', '--prompt', 'a', '--context', '[]'], "'--context': expected an object"],
  [['order', '--prompt', 'a', '--context', '{'], "'--context': not JSON. "],
  [['order', '--prompt', 'a', '--thread', 'a b'], "'--thread': "],
])('%p is an invalid command line', async (args, message) => {
  const { out, errors, code } = await run(...args);
  expect({ out, code }).toEqual({ out: '', code: 2 });
  expect(errors).toContain(message);
});

test('without a service, it opens the files itself', async () => {
  await stopped();
  const { out, errors, code } = await run('stops', '--prompt', 'Hello', '--thread', 'alone', '--json');
  expect(code).toBe(0);
  expect(errors).toContain('so the files are opened here');
  expect(JSON.parse(out)).toMatchObject({ stopped_at: [{ agent: 'second', when: 'before', path: [] }] });
});
