/** `skein validate`: prints what was found, from where, and what is missing. */

import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { openModels } from '../graphs/tools/model/models.ts';
import { discoverWorkflows, registerWorkflows } from '../runtime/registry.ts';
import { parseFlags } from '../settings/flags.ts';
import { loadSettings } from '../settings/load.ts';
import { validateReport } from './validate.ts';

/** Gives the exit code; throws CONFIGURATION_ERROR for what would stop a start. Opens no file of the service. */
export async function validateCommand(argv: string[]): Promise<number> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(argv) });
  const { found, prompts } = await discoverWorkflows(loaded.projectFolder);
  await registerWorkflows(found, {
    settings: loaded.settings.workflows,
    models: openModels(loaded.settings.models),
    prompts,
    checkpointer: new MemorySaver(),
  });
  const { text, ok } = validateReport(loaded);
  process.stdout.write(text);
  return ok ? 0 : 1;
}
