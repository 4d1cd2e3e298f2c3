/** `skein validate`: prints what was found, from where, and what is missing. */

import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { openModels } from '../graphs/tools/model/models.ts';
import { openSqlDatabase } from '../graphs/tools/sql/open.ts';
import { createPrompts } from '../prompts/prompts.ts';
import { discoverWorkflows, registerWorkflows } from '../runtime/registry.ts';
import { parseFlags } from '../settings/flags.ts';
import { loadSettings } from '../settings/load.ts';
import { configuredKnowledgeBase } from './knowledge-base.ts';
import { validateReport } from './validate.ts';

// Nothing is opened that could say something.
const SILENT = { info: () => {}, warn: () => {} };

/** Gives the exit code; throws CONFIGURATION_ERROR for what would stop a start. Opens no file of the service. */
export async function validateCommand(argv: string[]): Promise<number> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(argv) });
  const { found, shipped } = await discoverWorkflows(loaded.projectFolder);
  const { workflows } = await registerWorkflows(found, {
    settings: loaded.settings.workflows,
    models: openModels(loaded.settings.models),
    prompts: createPrompts(shipped),
    checkpointer: new MemorySaver(),
    sql: openSqlDatabase({
      path: loaded.settings.local_sql_db.database_path,
      seeds: false,
      cloud: loaded.settings.cloud_sql,
    }),
    knowledge: configuredKnowledgeBase(loaded, { log: SILENT }),
  });
  const { text, ok } = validateReport(loaded);
  const broken = workflows.flatMap(({ problem }) => (problem ? [`  ${problem}\n`] : []));
  process.stdout.write(text);
  if (broken.length > 0) process.stdout.write(`\nWorkflows that cannot be loaded\n${broken.join('')}`);
  return ok && broken.length === 0 ? 0 : 1;
}
