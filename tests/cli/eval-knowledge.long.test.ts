/** `skein eval knowledge` as a process, and the scores of the built-in embedder on the evaluation set. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnCommand } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-eval-knowledge-'));
let builtIn: { code: number | null; output: string };

beforeAll(async () => {
  builtIn = await evaluate([]);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

async function evaluate(args: string[], env: Record<string, string> = {}) {
  const child = spawnCommand(['eval', 'knowledge', ...args], folder, { ...env, TMPDIR: folder });
  await Promise.all([Array.fromAsync(child.lines), child.errors]);
  return { code: await child.exited, output: child.output() };
}

/** Recall in percent, MRR and nDCG of each retrieval method, in the order of the columns. */
function figuresOf(split: string, kind: string): number[][] {
  const half = builtIn.output.slice(builtIn.output.indexOf(`\n${split}`));
  const [, , ...cells] = new RegExp(`^${kind} .*`, 'm').exec(half)?.[0].trim().split(/ {3,}/) ?? [];
  return cells.map((cell) => cell.split(' ').map(Number));
}

test('both halves are reported, and no files are left', () => {
  expect(builtIn.code).toBe(0);
  expect(builtIn.output).toContain('retrieval with hashed-');
  for (const split of ['dev', 'held_out'])
    expect(builtIn.output).toMatch(new RegExp(`^${split} .*vector.*text.*hybrid$`, 'm'));
  expect(readdirSync(folder).filter((name) => name.startsWith('skein'))).toEqual([]);
});

test('on held-out questions, the combination is better than vectors and almost as good as words', () => {
  const [vector = [], text = [], hybrid = []] = figuresOf('held_out', 'all');
  expect(hybrid).toHaveLength(3);
  const [recall = 0, ...means] = hybrid;
  expect(recall).toBeGreaterThanOrEqual(Math.max(vector[0] ?? 100, (text[0] ?? 100) - 3));
  means.forEach((mean, at) => {
    expect(mean).toBeGreaterThanOrEqual(Math.max(vector[at + 1] ?? 1, (text[at + 1] ?? 1) - 0.05));
  });
});

test('names, numbers, codes and misspelt words are found', () => {
  expect(figuresOf('held_out', 'lexical')[2]?.[0]).toBeGreaterThanOrEqual(90);
  expect(figuresOf('held_out', 'misspelt')[2]?.[0]).toBeGreaterThanOrEqual(75);
});

test('a configured embedding model is also evaluated', async () => {
  const provider = scriptedProvider((request) => {
    const { input } = request as unknown as { input: string[] };
    const data = input.map((text, index) => ({ index, embedding: [1, text.length % 7, text.length % 11] }));
    return Response.json({ data });
  });
  const env = { ...providerEnv(provider.url), LLM_PROVIDER_EMBEDDING_MODEL: 'embed-1' };
  const { code, output } = await evaluate(['--dev'], env);
  await provider.close();
  expect(code).toBe(0);
  expect(output).toMatch(/retrieval with hashed-.*retrieval with endpoint:embed-1/s);
  expect(output).not.toContain('held_out');
}, 120_000);

test('a provider that fails is an error with its reason', async () => {
  const provider = scriptedProvider(() => new Response('{}', { status: 401 }));
  const env = { ...providerEnv(provider.url), LLM_PROVIDER_EMBEDDING_MODEL: 'embed-1' };
  const { code, output } = await evaluate(['--dev'], env);
  await provider.close();
  expect(code).toBe(1);
  expect(output).toContain("Model 'embed-1': the provider answered 401");
}, 120_000);
