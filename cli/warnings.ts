/** What is odd about a configuration that may be used all the same: said at start, by validate and in the diagnostic. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LoadedSettings } from '../settings/load.ts';
import { configurationError } from '../state/errors.ts';

export function configurationWarnings({ settings, files, sources }: LoadedSettings): string[] {
  const unread = files.config && !files.profiles && join(dirname(files.config), 'profiles.yml');
  const without = WITHOUT_EFFECT.filter((path) =>
    Object.entries(sources).some(([at, source]) => source !== 'default' && isWithin(at, path)),
  );
  const { enable, enable_global_middleware } = settings.web_configuration.authentication;
  return [
    ...(enable && !enable_global_middleware
      ? ['web_configuration.authentication: enable without enable_global_middleware protects nothing']
      : []),
    ...(settings.cloud_sql && settings.cloud_sql.database_name !== 'skip'
      ? ['cloud_sql: a database server in place of the local file is experimental']
      : []),
    ...(settings.knowledge_base.mode === 'cloud'
      ? ['knowledge_base.mode: a cloud search service in place of the local index is experimental']
      : settings.cloud_search
        ? ["cloud_search: has no effect while knowledge_base.mode is 'local'"]
        : []),
    ...(unread && existsSync(unread)
      ? [`${basename(unread)} beside config.yml is not read; name it with SERVICE_PROFILE_PATH or --profiles`]
      : []),
    ...without.map((path) => `${path} is accepted, but has no effect in this version`),
  ];
}

/** Serving without the storage that was asked for would be worse than not serving. */
export function refuseUnsupported({ prompts }: LoadedSettings['settings']): void {
  if (prompts.storage !== 'local')
    throw configurationError('prompts.storage', "this version knows only 'local'");
}

/** Settings of the contract whose part is not in this version. */
const WITHOUT_EFFECT = ['prompts.azure', 'telemetry.otlp_endpoint', 'telemetry.capture_content'];

function isWithin(path: string, block: string): boolean {
  return path === block || path.startsWith(`${block}.`) || path.startsWith(`${block}[`);
}
