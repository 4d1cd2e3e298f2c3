/** The prompt storage for a command, which opens nothing else of the service. */
import { openPromptStorage, type PromptStorage } from '../../../prompts/open.ts';
import type { PromptSource } from '../../../prompts/prompts.ts';
import type { Settings } from '../../../settings/schema.ts';
import { openSharedPrompts } from './open-state.ts';

/** Throws CONFIGURATION_ERROR. */
export async function openCommandPrompts(
  settings: Settings,
  shipped: PromptSource,
): Promise<PromptStorage & { close(): Promise<void> }> {
  const { prompts } = settings;
  if (prompts.storage !== 'postgresql')
    return { ...(await openPromptStorage(prompts, shipped)), close: async () => {} };
  const { files, close } = await openSharedPrompts(settings);
  return { ...(await openPromptStorage(prompts, shipped, files)), close };
}
