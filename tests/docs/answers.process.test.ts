/** The requests in README.md and in the guides to documents and databases have the responses that the pages show. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening, type ServiceProcess, spawnCommand, spawnProcess } from '../support/process.ts';
import { type Block, blocksOf } from './pages.ts';

// The service reads the sample documents and creates the sample database, on a machine that may be busy.
setDefaultTimeout(60_000);

const README = await blocksOf('README.md');
const KNOWLEDGE = await blocksOf('docs/knowledge-base.md');
const SQL = await blocksOf('docs/sql.md');

const folder = mkdtempSync(join(tmpdir(), 'skein-answers-'));
let service: ServiceProcess;
beforeAll(async () => {
  service = await listening(
    spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1', '--log-level', 'error'], folder),
  );
});
afterAll(async () => {
  service.kill('SIGKILL');
  await service.exited;
  rmSync(folder, { recursive: true });
});

test('the pages show responses', () => {
  expect([README, KNOWLEDGE, SQL].map((blocks) => exchanges(blocks).length)).toEqual([4, 1, 1]);
});

test.each([...exchanges(README), ...exchanges(KNOWLEDGE), ...exchanges(SQL)])(
  '$at',
  async ({ command, shown }) => {
    const response = JSON.parse(await run(command)) as { agent_response: string };
    if (shown.language === 'json') expect(differences(response, JSON.parse(shown.code))).toEqual([]);
    else expect(differences(response.agent_response, shown.code.trim())).toEqual([]);
  },
);

test('docs/knowledge-base.md: the data of the second answer in the thread', async () => {
  const body = {
    conversation_flow: 'knowledge-base-agent',
    thread_id: 'kb',
    user_prompt: 'And on e-bike batteries?',
  };
  const response = await fetch(`${service.url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { outputs } = (await response.json()) as { outputs: { data: unknown }[] };
  const shown = KNOWLEDGE.find(({ language, code }) => language === 'json' && code.includes('"citations"'));
  expect(differences(outputs[0]?.data, JSON.parse(shown?.code ?? ''))).toEqual([]);
});

test('docs/knowledge-base.md: an upload and a search', async () => {
  await Bun.write(
    join(folder, 'bells.md'),
    '# Bells\n\nA bell is rung with the thumb, never with the elbow.\n',
  );
  const block = KNOWLEDGE.find(({ code }) => code.startsWith('$ curl -s -T bells.md'));
  const lines = block?.code.trim().split('\n') ?? [];
  expect(lines).toHaveLength(4);
  for (const [index, line] of lines.entries())
    if (line.startsWith('$ '))
      expect(differences(JSON.parse(await run(line.slice(2))), JSON.parse(lines[index + 1] ?? ''))).toEqual(
        [],
      );
});

test('a response that differs is found', () => {
  expect(differences({ a: ['x y z'], run_id: '1' }, { a: ['x [...]'], run_id: '2' })).toEqual([]);
  expect(differences({ a: ['x', 2] }, { a: ['x', 3] })).toEqual(['a.1: 2']);
  expect(differences({ a: 1, b: 2 }, { a: 1 })).toEqual(['b: 2']);
  expect(differences('a\nb\nc', 'a\n...')).toEqual([]);
  expect(differences('a\nb', 'b')).toEqual([': "a\\nb"']);
});

/** Each request of the page with the block that follows it. */
function exchanges(blocks: Block[]): { at: string; command: string; shown: Block }[] {
  return blocks.flatMap(({ page, line, language, code }, index) => {
    const shown = blocks[index + 1];
    const isRequest = language === 'sh' && code.startsWith('curl -s localhost:8080/api/v1/chat');
    return isRequest && shown ? [{ at: `${page}:${line}`, command: code, shown }] : [];
  });
}

async function run(command: string): Promise<string> {
  const here = command.replaceAll('localhost:8080', new URL(service.url).host);
  const child = spawnProcess(['bash', '-ec', here], folder, {});
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  expect(await child.exited).toBe(0);
  return child.output();
}

// They are new in each run, except for the threads that the requests name.
const CHANGING = new Set(['message_id', 'run_id', 'updated_at']);

/** The paths at which the values differ. In a text, `...` and `[...]` with spaces around them stand for anything. */
function differences(actual: unknown, shown: unknown, path: string[] = []): string[] {
  if (CHANGING.has(path.at(-1) ?? '')) return [];
  if (typeof actual === 'string' && typeof shown === 'string') {
    const parts = shown.split(/\s*(?:\[\.\.\.\]|\.\.\.)\s*/).map(RegExp.escape);
    return new RegExp(`^${parts.join('[\\s\\S]*?')}$`).test(actual.trim()) ? [] : [different(actual, path)];
  }
  if (typeof actual !== 'object' || typeof shown !== 'object' || actual === null || shown === null)
    return Object.is(actual, shown) ? [] : [different(actual, path)];
  const [has, expected] = [actual as Record<string, unknown>, shown as Record<string, unknown>];
  const keys = new Set([...Object.keys(has), ...Object.keys(expected)]);
  return [...keys].flatMap((key) => differences(has[key], expected[key], [...path, key]));
}

function different(actual: unknown, path: string[]): string {
  return `${path.join('.')}: ${JSON.stringify(actual)}`;
}
