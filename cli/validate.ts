/** What `skein validate` prints: the files, the settings that are not defaults and their source, what is missing. */
import type { LoadedSettings } from '../settings/load.ts';
import { withoutSecret } from '../settings/redact.ts';
import { Settings } from '../settings/schema.ts';
import { mapLeaves } from '../state/walk-schema.ts';
import { configurationWarnings } from './warnings.ts';

/** `ok` is false when something is missing that makes a configured part unusable; warnings do not count. */
export function validateReport(
  loaded: LoadedSettings,
  ignored: readonly string[],
): { text: string; ok: boolean } {
  const missing = missingSettings(loaded.settings);
  const sections = [
    section('Files', aligned(fileRows(loaded))),
    ...changedBlocks(loaded),
    section('Chat model', [chatModel(loaded)]),
    section('Missing', missing),
    section('Warnings', [...configurationWarnings(loaded), ...ignored]),
  ];
  const verdict = missing.length === 0 ? 'The configuration is valid.' : 'Settings are missing, see above.';
  return { text: `${[...sections.flat(), verdict].join('\n')}\n`, ok: missing.length === 0 };
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
}

function fileRows({ files, projectFolder }: LoadedSettings): string[][] {
  return [
    [
      'config.yml',
      files.config ?? 'not found, defaults are used; SERVICE_PROJECT_PATH or --config names another',
    ],
    [
      'profiles.yml',
      files.profiles ?? 'not found, not needed; SERVICE_PROFILE_PATH or --profiles names another',
    ],
    ['.env', files.env ?? `not found, not needed; it may stand in ${projectFolder}`],
  ];
}

/** One section a block that has settings other than the defaults. */
function changedBlocks({ settings, sources }: LoadedSettings): string[][] {
  const rows = new Map<string, string[][]>();
  mapLeaves({ schema: Settings, value: settings, path: '' }, (leaf) => {
    const source = sources[leaf.path] ?? 'default';
    const block = /^[^.[]*/.exec(leaf.path)?.[0] ?? '';
    const field = leaf.path.slice(block.length).replace(/^\./, '') || block;
    const row = [field, JSON.stringify(withoutSecret(leaf)), source];
    if (source !== 'default') rows.set(block, [...(rows.get(block) ?? []), row]);
  });
  return [...rows].map(([block, fields]) => section(block, aligned(fields)));
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function chatModel({ settings }: LoadedSettings): string {
  const chat = settings.models.find(({ role }) => role === 'chat');
  if (chat) return `${chat.model} at ${withoutSecret({ schema: undefined, value: chat.base_url, path: '' })}`;
  return 'skein-offline, the built-in model; set LLM_PROVIDER_API_KEY or LLM_PROVIDER_BASE_URL to use a provider';
}

function missingSettings({ knowledge_base, cloud_search, cloud_sql, prompts }: Settings): string[] {
  const search = (['endpoint', 'index_name', 'api_key'] as const).filter((field) => !cloud_search?.[field]);
  const isCloudSql = cloud_sql !== undefined && cloud_sql.database_name !== 'skip';
  const isAzure = prompts.storage === 'azure';
  return [
    ...(knowledge_base.mode === 'cloud' ? search : []).map(
      (field) => `cloud_search.${field}, for knowledge_base.mode cloud`,
    ),
    ...(isCloudSql && !cloud_sql.connection_string && !cloud_sql.server_name
      ? ['cloud_sql.connection_string or cloud_sql.server_name; database_name skip means the local database']
      : []),
    ...(isAzure && !prompts.azure?.connection_string && !prompts.azure?.account_url
      ? ['prompts.azure with connection_string or account_url, for prompts.storage azure']
      : []),
  ];
}
