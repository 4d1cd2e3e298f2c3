/** What is odd about a configuration that may be used all the same: said at start, by validate and in the diagnostic. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LoadedSettings } from '../settings/load.ts';

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
    ...(unread && existsSync(unread)
      ? [`${basename(unread)} beside config.yml is not read; name it with SERVICE_PROFILE_PATH or --profiles`]
      : []),
    ...(settings.prompts.azure && settings.prompts.storage !== 'azure'
      ? ["prompts.azure has no effect: prompts.storage is 'local'"]
      : []),
    ...without.map((path) => `${path} is accepted, but has no effect in this version`),
  ];
}

/** Settings of the contract whose part is not in this version. */
const WITHOUT_EFFECT = [
  'knowledge_base',
  'cloud_search',
  'telemetry.otlp_endpoint',
  'telemetry.capture_content',
];

function isWithin(path: string, block: string): boolean {
  return path === block || path.startsWith(`${block}.`) || path.startsWith(`${block}[`);
}
