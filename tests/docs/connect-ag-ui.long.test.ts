/** The snippets on AG-UI in docs/connect.md work. CopilotKit's part is in tests/server/ag-ui/copilotkit.long.test.ts. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEY, protectedConfig } from '../server/support/credentials.ts';
import { run } from '../server/support/python.ts';
import { runningProvider, runningService } from '../server/support/running.ts';
import { snippetsOf } from './snippets.ts';

const provider = runningProvider();
const open = runningService(provider);
const guarded = runningService(provider, protectedConfig());

const folder = mkdtempSync(join(tmpdir(), 'skein-docs-'));
symlinkSync(join(import.meta.dir, '../../node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true }));

const HEADERS = "headers: { Authorization: 'Bearer YOUR_KEY' }";

async function pasted(url: string, more = ''): Promise<{ code: number; text: string }> {
  const snippets = await snippetsOf('connect.md', 'AG-UI: the workflows as agents');
  const { code = '' } = snippets.find((one) => one.code.includes('agent.runAgent')) ?? {};
  const file = join(folder, `${more === '' ? 'open' : 'guarded'}.ts`);
  const here = code.replace('http://localhost:8080', url);
  await Bun.write(file, here.replace("threadId: 'my-thread'", `threadId: 'my-thread'${more}`));
  return run([process.execPath, file]);
}

test('the agent answers', async () => {
  const { code, text } = await pasted(open.url);
  expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining('re: My pedal is broken') });
  const thread = await open.fetch('/api/v1/threads/my-thread');
  expect(thread.status).toBe(200);
}, 60_000);

test('the headers that the page names authenticate the agent', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../docs/connect.md')).text();
  expect(text).toContain(HEADERS);
  const answered = await pasted(guarded.url, `, ${HEADERS.replace('YOUR_KEY', KEY)}`);
  expect(answered.text).toContain('re: My pedal is broken');
}, 60_000);
