/** Warnings about a valid configuration: printed at the start, by validate and in the diagnostic. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DEFAULT_REVISION } from '../../../prompts/names.ts';
import type { PromptStore } from '../../../prompts/store.ts';
import { CORE_WORKFLOWS } from '../../../runtime/workflows/discovery.ts';
import type { RegisteredWorkflow } from '../../../runtime/workflows/registered.ts';
import type { LoadedSettings } from '../../../settings/load.ts';
import { SkeinError } from '../../../state/errors.ts';
import { nearest } from '../../../state/schema/nearest.ts';
import { perServerWarnings } from './per-server.ts';

export function configurationWarnings(loaded: LoadedSettings): string[] {
  const { settings, files } = loaded;
  const unread = files.config && !files.profiles && join(dirname(files.config), 'profiles.yml');
  const { enable, enable_global_middleware, oidc } = settings.web_configuration.authentication;
  return [
    ...loaded.warnings,
    ...(enable && !enable_global_middleware
      ? ['web_configuration.authentication: enable without enable_global_middleware protects nothing']
      : []),
    ...(oidc && isOpenToOthers(oidc.issuer)
      ? ['web_configuration.authentication.oidc.issuer: its keys can be replaced in transit; use https']
      : []),
    ...(oidc && !enable ? ['web_configuration.authentication.oidc: has no effect without enable'] : []),
    ...(settings.cloud_sql && settings.cloud_sql.database_name !== 'skip'
      ? ['cloud_sql: a database server instead of the local file is experimental']
      : []),
    ...(settings.knowledge_base.mode === 'cloud'
      ? ['knowledge_base.mode: a cloud search service instead of the local index is experimental']
      : settings.cloud_search
        ? ["cloud_search: has no effect while knowledge_base.mode is 'local'"]
        : []),
    ...(unread && existsSync(unread)
      ? [`${basename(unread)} beside config.yml is ignored; set it with SERVICE_PROFILE_PATH or --profiles`]
      : []),
    ...(settings.prompts.azure && settings.prompts.storage !== 'azure'
      ? [`prompts.azure has no effect: prompts.storage is '${settings.prompts.storage}'`]
      : []),
    ...(hasOtherWorkflows(loaded)
      ? [
          'graphs/ in the working directory is ignored: the workflows of a project must be beside its config.yml',
        ]
      : []),
    ...perServerWarnings(settings),
  ];
}

/** Whether its keys come unencrypted from another machine. */
function isOpenToOthers(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** Whether the working directory has workflows while config.yml, and with it the project, is elsewhere. */
function hasOtherWorkflows({ projectFolder }: LoadedSettings): boolean {
  const here = resolve('graphs');
  if (here === CORE_WORKFLOWS || here === resolve(projectFolder, 'graphs') || !existsSync(here)) return false;
  return !new Bun.Glob('*/graph.ts').scanSync({ cwd: here }).next().done;
}

/** Revisions that workflows name but that do not exist: the workflow then uses `default`. */
export async function revisionWarnings(
  workflows: readonly Pick<RegisteredWorkflow, 'name' | 'settings'>[],
  prompts: Pick<PromptStore, 'revisions'>,
): Promise<string[]> {
  const naming = workflows.filter(({ settings }) => settings.prompt_revision !== DEFAULT_REVISION);
  if (naming.length === 0) return [];
  try {
    const there = (await prompts.revisions()).map(({ revision_id }) => revision_id);
    return naming
      .filter(({ settings }) => !there.includes(settings.prompt_revision))
      .map(({ name, settings: { prompt_revision } }) => missingRevision(name, prompt_revision, there));
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return [`The revisions of the prompt files cannot be read: ${error.detail}`];
  }
}

function missingRevision(workflow: string, revision: string, there: string[]): string {
  const close = nearest(revision, there);
  const hint = close ? `, did you mean '${close}'?` : '';
  return `workflows.${workflow}.prompt_revision: revision '${revision}' does not exist${hint}; 'default' is used until it does`;
}
