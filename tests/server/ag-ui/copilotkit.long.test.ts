/** CopilotKit's runtime in front of the service, configured as in docs/connect.md, and CopilotKit's client in front of that. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { snippetsOf } from '../../docs/snippets.ts';
import { heldAnswer } from '../../studio/held-answer.ts';
import { GRAPHS } from '../openai/graphs.ts';
import { ownPackages } from '../support/own-packages.ts';
import { run } from '../support/python.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(120_000);

const PACKAGES = join(import.meta.dir, 'copilotkit');
const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);

let modules: string | undefined;
beforeAll(async () => {
  modules = await ownPackages(PACKAGES);
}, 300_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-copilotkit-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Seen {
  version: string;
  said: string[];
  events: { type: string; outcome?: { type: string }; message?: string }[];
}

async function seenWith(workflow: string, ...how: string[]): Promise<Seen | undefined> {
  if (modules === undefined) return undefined;
  const snippet = (await snippetsOf('connect.md', 'AG-UI: the workflows as agents')).find(({ code }) =>
    code.includes('@copilotkit/runtime'),
  );
  const place = mkdtempSync(join(folder, `${workflow}-`));
  const pasted = snippet?.code.replace(
    'http://localhost:8080/ag-ui/classification-agent',
    `${service.url}/ag-ui/${workflow}`,
  );
  await Bun.write(join(place, 'route.ts'), pasted ?? '');
  cpSync(join(PACKAGES, 'client.js'), join(place, 'client.js'));
  symlinkSync(modules, join(place, 'node_modules'));
  const off = 'COPILOTKIT_TELEMETRY_DISABLED=true';
  const { text } = await run(['env', off, process.execPath, join(place, 'client.js'), workflow, ...how]);
  const line = text.split('\n').find((one) => one.startsWith('{"version"'));
  if (line === undefined) throw new Error(text);
  return JSON.parse(line);
}

test('the pasted runtime transports questions and answers, and the thread keeps the history', async () => {
  const seen = await seenWith('echo');
  if (!seen) return;
  expect(seen.version).toBe('1.75.0');
  expect(seen.said).toEqual([
    ...['user: My pedal is broken', 'assistant: re: My pedal is broken'],
    ...['user: And now?', 'assistant: re: And now?'],
  ]);
  expect(seen.events.map(({ outcome }) => outcome?.type)).toEqual(['success', 'success']);
  const messages = await (await service.fetch('/api/v1/threads/copilot-echo/messages')).json();
  expect(messages).toMatchObject({ messages: Array.from({ length: 4 }, () => ({})) });
});

test('a question to a person and its answer pass through it', async () => {
  const seen = await seenWith('letter');
  if (!seen) return;
  expect(seen.events.map(({ outcome }) => outcome?.type)).toEqual(['interrupt', 'success']);
  expect(seen.said.at(-1)).toBe('assistant: re: My pedal is broken true');
});

test('a failure is reported', async () => {
  provider.script = () => Response.json({}, { status: 400 });
  const seen = await seenWith('echo');
  if (!seen) return;
  const failed = { type: 'RUN_ERROR', message: expect.stringContaining('the provider answered 400') };
  expect(seen.events).toMatchObject([failed, failed]);
});

test('a person who stops it cancels the run', async () => {
  if (modules === undefined) return;
  const held = heldAnswer();
  provider.script = () => held.reply;
  const stopped = seenWith('echo', 'stop');
  await held.called;
  held.say('Half ');
  await stopped;
  await until(() => provider.aborted === 1);
});
