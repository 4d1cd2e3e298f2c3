/** `skein chat` with one message, as in scripts, to workflows of a project. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../../support/bare-environment.ts';
import { type ServiceProcess, spawnService } from '../../support/process.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

const root = join(import.meta.dir, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'skein-chat-once-'));
afterAll(() => rmSync(folder, { recursive: true }));

const graph = (agent: string, more = '') => `
import { Conversation, END, interrupt, readJson, START, StateGraph, Type, workflow } from '${root}/graphs/skein.ts';
export default workflow({
  description: 'x', example: 'x', agents: () => [{ name: 'clerk', description: 'x' }], ${more}
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('clerk', agent('clerk', async () => (${agent}))).addEdge(START, 'clerk').addEdge('clerk', END),
});`;

beforeAll(async () => {
  const asks = graph("{ content: 'Sent ' + interrupt('Send it?') }");
  await Bun.write(join(folder, 'graphs', 'asks', 'graph.ts'), asks);
  const reads = graph("{ content: 'read' }", 'read: (text) => ({ input: readJson(text, Type.Unknown()) }),');
  await Bun.write(join(folder, 'graphs', 'reads', 'graph.ts'), reads);
});

const send = (text: string, ...args: string[]) => skein(text, 'chat', ...args);

let service: ServiceProcess | undefined;
afterEach(async () => {
  service?.kill('SIGKILL');
  await service?.exited;
  service = undefined;
});

async function skein(text: string, ...args: string[]) {
  const at = service ? ['--url', service.url] : ['--port', '0'];
  const child = Bun.spawn([process.execPath, '--no-env-file', join(root, 'cli', 'main.ts'), ...args, ...at], {
    cwd: folder,
    env: BARE_ENVIRONMENT,
    stdin: new TextEncoder().encode(text),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, errors, code };
}

test('a question to a person is shown, with how to answer it', async () => {
  const { out, errors, code } = await send('Write to Ana.', 'asks', '--thread', 'letter');
  expect({ out, code }).toEqual({ out: '', code: 0 });
  expect(errors).toContain('Send it?\n');
  expect(errors).toEndWith('To answer: skein chat --thread letter\n');
});

test('an interrupted thread is shown with its question, and a message answers it', async () => {
  service = await spawnService(folder);
  await send('Write to Bob.', 'asks', '--thread', 'bob');
  const shown = await skein('', 'threads', 'show', 'bob');
  expect(shown.out).toStartWith('bob  asks  interrupted  Write to Bob.\n\n');
  expect(shown.out).toEndWith(`Send it?\nAnswer with JSON; anything else is sent as text.\n${WAITS}`);
  const { out } = await skein('', 'threads', 'show', 'bob', '--json');
  expect(JSON.parse(out)).toMatchObject({
    status: 'interrupted',
    interrupt: { value: 'Send it?' },
    messages: [],
  });

  const empty = await send(' \n', '--thread', 'bob');
  expect(empty).toMatchObject({ out: '', code: 1 });
  expect(empty.errors).toEndWith(WAITS);
  // A message that is valid JSON is sent as JSON.
  expect(await send('', '--thread', 'bob', '--message', '1.50')).toMatchObject({
    out: 'Sent 1.5\n',
    code: 0,
  });
  expect((await skein('', 'threads', 'show', 'bob')).out).toStartWith('bob  asks  idle  Write to Bob.\n');

  await send('Write again.', '--thread', 'bob');
  expect(await send('not yet\n', 'asks', '--thread', 'bob', '--json')).toMatchObject({
    out: expect.stringContaining('"agent_response":"Sent not yet"'),
    code: 0,
  });
});
const WAITS = 'To answer: skein chat --thread bob\n';

test('a message to a new thread says that the thread is new', async () => {
  const { errors } = await send('Hello.', 'reads', '--thread', 'typo');
  expect(errors).toContain('\na new thread: typo\n');
});

test('an invalid document is reported with the position in the message, including its first lines', async () => {
  const { errors, code } = await send('\n\n  {"a":}\n', 'reads');
  expect(code).toBe(1);
  expect(errors).toEndWith('Expecting value: line 3 column 8 (char 9)\n');
});
