/** Whether prompt files are readable and writable, and whether the configured revisions exist. */
import { statSync } from 'node:fs';
import { openContainer } from '../../../../prompts/azure/container.ts';
import { openPromptStorage } from '../../../../prompts/open.ts';
import type { PromptSource } from '../../../../prompts/prompts.ts';
import type { RegisteredWorkflow } from '../../../../runtime/workflows/registered.ts';
import type { LoadedSettings } from '../../../../settings/load.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { type Check, failure, ok, warning } from '../../../service/checks/check.ts';
import { revisionWarnings } from '../../../service/checks/warnings.ts';
import { writableReason } from '../../../service/checks/writable.ts';

const NAME = 'prompts';
const WITHIN_MS = 5_000;

/** `shipped`: the prompt files of the workflows themselves. */
export async function promptsChecks(
  { prompts }: LoadedSettings['settings'],
  shipped: PromptSource,
  workflows: readonly RegisteredWorkflow[],
): Promise<Check[]> {
  const { path, storage } = prompts;
  const reason = storage === 'local' ? folderReason(path) : undefined;
  if (reason) return [failure(NAME, `${path}: ${reason}`, 'make it writable, or change prompts.path')];
  // Opening the database would create its tables.
  if (storage === 'postgresql') return [ok(NAME, 'in the database of chat_history, opened at the start')];
  try {
    const { store, label } = await openPromptStorage(prompts, shipped);
    if (storage === 'azure' && !(await containerExists(prompts.azure)))
      return [ok(NAME, `${label}: created at the first start`)];
    const names = (await store.revisions()).map(({ revision_id }) => revision_id).join(', ');
    const missing = await revisionWarnings(workflows, store);
    return [ok(NAME, `${label}: ${names}`), ...missing.map((sentence) => warning(NAME, sentence))];
  } catch (error) {
    const todo = `check prompts.${storage === 'local' ? 'path' : storage}`;
    if (error instanceof SkeinError)
      return [failure(NAME, [error.message, error.detail].filter(Boolean).join(': '), todo)];
    if (storage === 'local') throw error;
    const { statusCode } = error as { statusCode?: number };
    return [failure(NAME, `the storage account does not answer (${statusCode ?? 'not reachable'})`, todo)];
  }
}

/** The storage would create the container at its first use. */
async function containerExists(options: Parameters<typeof openContainer>[0]): Promise<boolean> {
  return (await openContainer(options)).exists({ abortSignal: AbortSignal.timeout(WITHIN_MS) });
}

function folderReason(path: string): string | undefined {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
  return writableReason(path) ?? (isFolder ? undefined : 'expected a folder');
}
