/** `skein chat` with one message, as scripts send it, to workflows of a project. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

const root = join(import.meta.dir, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'skein-chat-once-'));
afterAll(() => rmSync(folder, { recursive: true }));

const graph = (agent: string, more = '') => `
import { Conversation, END, interrupt, readJson, START, StateGraph, Type, workflow } from '${root}/graphs/workflow.ts';
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

async function said(text: string, ...args: string[]) {
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', join(root, 'cli', 'main.ts'), 'chat', ...args, '--port', '0'],
    {
      cwd: folder,
      env: { PATH: process.env.PATH },
      stdin: new TextEncoder().encode(text),
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, errors, code };
}

test('a question to a person is told, with how to answer it', async () => {
  const { out, errors, code } = await said('Write to Ana.', 'asks', '--thread', 'letter');
  expect({ out, code }).toEqual({ out: '', code: 0 });
  expect(errors).toContain('Send it?\n');
  expect(errors).toEndWith('The thread waits for the answer: skein chat --thread letter\n');
});

test('a wrong document is told with the place in what was sent, its first lines too', async () => {
  const { errors, code } = await said('\n\n  {"a":}\n', 'reads');
  expect(code).toBe(1);
  expect(errors).toEndWith('Expecting value: line 3 column 8 (char 9)\n');
});
