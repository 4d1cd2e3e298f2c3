/** A temporary folder with a langgraph.json and the files beside it. */
import { onTestFinished } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type LangGraphJson, readLangGraphJson } from '../../../graphs/discovery/langgraph-json.ts';
import { SkeinError } from '../../../state/errors.ts';

/** Values other than text are written as JSON. The folder is removed after the test. */
export function written(content: unknown, beside: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'skein-langgraph-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  for (const [name, each] of Object.entries({ 'langgraph.json': text, ...beside })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), each);
  }
  const file = join(folder, 'langgraph.json');
  const read = (): Promise<LangGraphJson> => readLangGraphJson(file);
  return { folder, file, read, refusal: () => refusalOf(read()) };
}

/** The message of the CONFIGURATION_ERROR that the promise rejects with. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SkeinError && error.code === 'CONFIGURATION_ERROR') return error.message;
  throw error ?? new Error('expected a CONFIGURATION_ERROR');
}
