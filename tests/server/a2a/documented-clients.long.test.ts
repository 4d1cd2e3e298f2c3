/** The A2A snippets of docs/connect.md, run unchanged. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pythonWith, run } from '../support/python.ts';
import { runningProvider, runningService } from '../support/running.ts';

const service = runningService(runningProvider());
const ROOT = join(import.meta.dir, '../../..');

const folder = mkdtempSync(join(tmpdir(), 'skein-a2a-'));
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true }));

async function pasted(language: string): Promise<string> {
  const text = await Bun.file(join(ROOT, 'docs/connect.md')).text();
  const [section = ''] = text.split('## A2A: ')[1]?.split('\n## ') ?? [];
  const [, code = ''] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section) ?? [];
  return code.replaceAll('http://localhost:8080', service.url);
}

test('the lines for JavaScript print the task', async () => {
  const file = join(folder, 'client.ts');
  await Bun.write(file, await pasted('ts'));
  const { code, text } = await run([process.execPath, file]);
  expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining('re: My pedal is broken') });
}, 60_000);

test('the lines for Python print the events', async () => {
  const python = await pythonWith(['a2a-sdk==1.3.0']);
  if (python === undefined) return;
  const file = join(folder, 'client.py');
  await Bun.write(file, await pasted('python'));
  const { code, text } = await run([python, file]);
  expect(code).toBe(0);
  expect(text).toContain('re: My pedal is broken');
  expect(text).toContain('TASK_STATE_COMPLETED');
}, 300_000);
