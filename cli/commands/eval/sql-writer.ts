/** The SQL writer that `skein eval sql` scores: the configured model, prompted as in the workflow. */
import { HumanMessage } from '@langchain/core/messages';
import type { WriteSql } from '../../../evals/sql/evaluate.ts';
import { conversationMessages } from '../../../graphs/authoring/agent/conversation-messages.ts';
import { WrittenQuery } from '../../../graphs/sql-manipulation-agent/query.ts';
import { createPrompts } from '../../../prompts/prompts.ts';
import { discoverWorkflows } from '../../../runtime/workflows/discovery.ts';
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import { configurationError } from '../../../state/errors.ts';
import { openModels } from '../../../tools/models/models.ts';
import { UNMETERED } from '../../../tools/models/usage/meter.ts';
import { schemaText } from '../../../tools/sql/schema-text.ts';
import { withBlocks, withPointers } from '../../../tools/text/block.ts';
import { openCommandPrompts } from '../../service/drivers/command-prompts.ts';

interface Writer {
  writeSql: WriteSql;
  model: string;
  close(): Promise<void>;
}

/** Throws CONFIGURATION_ERROR. Each statement is a paid call of the provider. */
export async function configuredWriter(argv: string[]): Promise<Writer> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(argv) });
  const { settings } = loaded;
  const model = openModels(settings.models).chat();
  if (!model) throw configurationError('models', 'has no chat model');
  const { shipped } = await discoverWorkflows(loaded.projectFolder, loaded.settings.workflows);
  const { source, close } = await openCommandPrompts(settings, shipped);
  const prompts = createPrompts(source);
  const writeSql: WriteSql = async ({ question, earlier = [] }, tables) => {
    const variables = { schema: schemaText(tables), dialect: 'duckdb', refusal: null };
    const { text } = await prompts.renderFrom([PROMPT], withPointers(variables));
    const questions = [...earlier, question].map((each) => new HumanMessage(each));
    const messages = conversationMessages(withBlocks(text, variables), '', questions);
    const context = { signal: AbortSignal.timeout(DEADLINE_MS), meter: UNMETERED };
    const { value } = await model.extract(
      { task: 'sql', messages },
      { name: 'sql', schema: WrittenQuery },
      context,
    );
    return value;
  };
  return { writeSql, model: model.name, close };
}

const PROMPT = {
  file: 'sql-manipulation-agent.sql_manipulation_agent.write_query.jinja',
  earlier: 'sql-manipulation-agent.write_query.jinja',
};
const DEADLINE_MS = 120_000;
