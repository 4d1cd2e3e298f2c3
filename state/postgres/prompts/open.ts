/** Opens only the prompt files, for commands. */
import type { PromptFiles } from '../../resources/prompt-files.ts';
import { openMigrated } from '../database/open-migrated.ts';
import { promptFiles } from './prompt-files.ts';

export interface OpenedPromptFiles {
  files: PromptFiles;
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;

/** Throws CONFIGURATION_ERROR if the database cannot be reached or used. */
export async function openPromptFiles(url: string): Promise<OpenedPromptFiles> {
  const database = await openMigrated({ url, size: 1, timeoutMs: TIMEOUT_MS });
  return { files: promptFiles(database), close: () => database.close() };
}
