/** `skein validate`: checks whether a service with these settings would work, and changes nothing. */
import { createPrompts } from '../../../prompts/prompts.ts';
import { discoverWorkflows } from '../../../runtime/workflows/discovery.ts';
import { registerWorkflows } from '../../../runtime/workflows/registry.ts';
import { checkDefaultAgent } from '../../../server/a2a/agent.ts';
import { checkWeb } from '../../../server/check-web.ts';
import { parseFlags } from '../../../settings/flags.ts';
import { type LoadedSettings, loadSettings } from '../../../settings/load.ts';
import { configurationError, SkeinError } from '../../../state/errors.ts';
import { openModels } from '../../../tools/models/models.ts';
import { openSqlDatabase } from '../../../tools/sql/open.ts';
import { type Check, failure, ok } from '../../service/checks/check.ts';
import { modelChecks } from '../../service/checks/model-checks.ts';
import { secondCopies } from '../../service/checks/second-copies.ts';
import { stateCheck } from '../../service/checks/state-check.ts';
import { temporaryFolderCheck } from '../../service/checks/temporary-folder.ts';
import { configurationWarnings } from '../../service/checks/warnings.ts';
import {
  configuredKnowledgeBase,
  sharedEmbedder,
  wantedSamples,
} from '../../service/drivers/knowledge-base.ts';
import { openLangGraphFile } from '../../service/drivers/langgraph-file.ts';
import { seedsSampleDatabase } from '../../service/drivers/sql-database.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';
import { styleFor, widthOf } from '../../terminal/style.ts';
import { httpAppCheck } from './checks/http-app.ts';
import { knowledgeBaseCheck } from './checks/knowledge-base.ts';
import { mcpServerChecks } from './checks/mcp-servers.ts';
import { portCheck } from './checks/port.ts';
import { promptsChecks } from './checks/prompts.ts';
import { sqlDatabaseCheck } from './checks/sql-database.ts';
import { workflowChecks } from './checks/workflows.ts';
import { validateReport } from './report.ts';

// A log that discards everything.
const SILENT = { info: () => {}, warn: () => {} };

/** Returns the exit code: 1 if a check failed. Throws CONFIGURATION_ERROR for invalid settings. */
export async function validateCommand(argv: string[]): Promise<number> {
  const isJson = argv.includes('--json');
  try {
    const { words, rest } = takeFlags(argv, [{ name: '--json' }]);
    if (words.length > 0) throw configurationError('arguments', 'expected only flags, as in skein validate');
    return await examine(parseFlags(rest), isJson);
  } catch (error) {
    // With --json the error is also a line of JSON; for people it is on standard error.
    if (isJson && error instanceof SkeinError) {
      const found = [error.message, error.detail ?? []].flat().join(': ');
      print(JSON.stringify({ ok: false, files: null, checks: [failure('settings', found)], warnings: [] }));
    }
    throw error;
  }
}

async function examine(flags: ReturnType<typeof parseFlags>, isJson: boolean): Promise<number> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env, flags });
  checkWeb(loaded.settings.web_configuration);
  const checks = await allChecks(loaded);
  const warnings = [...configurationWarnings(loaded), ...secondCopies(loaded.projectFolder).warnings];
  const isFine = checks.every(({ state }) => state !== 'failed');
  if (isJson) print(JSON.stringify({ ok: isFine, files: loaded.files, checks, warnings }));
  else {
    const { stdout, env } = process;
    const page = { style: styleFor(stdout, env), width: widthOf(stdout) };
    stdout.write(validateReport(loaded, { checks, warnings }, page));
  }
  return isFine ? 0 : 1;
}

async function allChecks(loaded: LoadedSettings): Promise<Check[]> {
  const { settings, projectFolder } = loaded;
  const json = await openLangGraphFile(loaded);
  const { found, core, replaced, shipped, ignored } = await discoverWorkflows(
    projectFolder,
    settings.workflows,
    json,
  );
  const seeds = seedsSampleDatabase(loaded);
  const sql = openSqlDatabase({
    path: settings.local_sql_db.database_path,
    seeds: false,
    cloud: settings.cloud_sql,
  });
  try {
    const registry = await registerWorkflows(found, {
      core,
      replaced,
      settings: settings.workflows,
      models: openModels(settings.models),
      prompts: createPrompts(shipped),
      sql,
      knowledge: configuredKnowledgeBase(loaded, { openEmbedder: sharedEmbedder(loaded), log: SILENT }),
    });
    checkDefaultAgent(registry, settings.a2a);
    const { check: port, isServed } = await portCheck(settings.web_configuration);
    return [
      ok('settings', 'valid'),
      port,
      ...(await modelChecks(settings)),
      temporaryFolderCheck(),
      await stateCheck(settings, isServed),
      await sqlDatabaseCheck(settings, { sql, seeds }),
      await knowledgeBaseCheck(settings, wantedSamples(loaded) !== undefined),
      ...(await mcpServerChecks(loaded)),
      ...(await promptsChecks(settings, shipped, registry.workflows)),
      ...workflowChecks(registry.workflows, ignored),
      ...(await httpAppCheck(json)),
    ];
  } finally {
    await sql.close();
  }
}
