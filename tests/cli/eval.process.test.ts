/** `skein eval sql` as a process, and the scores of the offline model on the evaluation set. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluationQuestions } from '../../evals/sql/questions.ts';
import { spawnCommand } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-eval-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function evaluate(args: string[], env: Record<string, string> = {}) {
  const child = spawnCommand(['eval', ...args], folder, { ...env, TMPDIR: folder });
  await Promise.all([Array.fromAsync(child.lines), child.errors]);
  return { code: await child.exited, output: child.output() };
}

const passed = (output: string, split: string) =>
  Number(new RegExp(`^${split} +(\\d+) of`, 'm').exec(output)?.[1] ?? Number.NaN);

test('the set has at least sixty questions, in two halves', async () => {
  const questions = await evaluationQuestions();
  const second = questions.filter(({ split }) => split === 'second').length;
  expect(questions.length).toBeGreaterThanOrEqual(60);
  expect(second * 2).toBe(questions.length);
  expect(new Set(questions.map(({ question, earlier }) => `${earlier} ${question}`)).size).toBe(
    questions.length,
  );
});

test('the offline model keeps its scores: at least 35 of 36 in the first half, 32 in the second', async () => {
  const { code, output } = await evaluate(['sql']);
  expect(code).toBe(0);
  expect(output).toContain('execution accuracy of skein-offline');
  expect(passed(output, 'dev')).toBeGreaterThanOrEqual(35);
  expect(passed(output, 'second')).toBeGreaterThanOrEqual(32);
  expect(output).toContain('A regression test, not a measure of quality');
  expect(output).not.toContain('held_out');
  expect(readdirSync(folder).filter((name) => name.startsWith('skein'))).toEqual([]);
}, 60_000);

test('a configured provider is evaluated, and its failures are listed with their SQL', async () => {
  const answer = JSON.stringify({ sql: 'SELECT count(*)\nFROM nowhere', explanation: 'x', tables: [] });
  const provider = scriptedProvider(() => answer);
  const { output } = await evaluate(['sql', '--dev'], providerEnv(provider.url));
  await provider.close();
  expect(output).toContain('dev    0 of 36 passed (0.0 %)');
  expect(output).toContain('it cannot be run: table_not_allowed: The table "nowhere" is not available');
  expect(output).toContain('  SELECT count(*)\n  FROM nowhere\n');
  expect(output).not.toMatch(/^second/m);
  expect(provider.requests[0]?.messages[1]?.content).toContain('table "stores" (12 rows)');
});

test('arguments that are neither a known set nor a workflow with its cases are rejected', async () => {
  const { code, output } = await evaluate(['poems']);
  expect(code).toBe(2);
  expect(output).toContain('expected a workflow and a file of cases');
});
