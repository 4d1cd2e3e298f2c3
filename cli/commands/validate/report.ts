/** What `skein validate` prints: the files, the settings that are not defaults and their source, and the checks. */
import type { LoadedSettings } from '../../../settings/load.ts';
import { withoutSecret } from '../../../settings/redact.ts';
import { Settings } from '../../../settings/schema.ts';
import { mapLeaves } from '../../../state/schema/walk-schema.ts';
import type { Check } from '../../service/check.ts';
import { columns, type Style, shown } from '../../terminal/style.ts';

export interface Findings {
  checks: readonly Check[];
  /** What is odd about the settings, a sentence each. */
  warnings: readonly string[];
}

/** `width`: of the terminal, where there is one. */
export interface Page {
  style: Style;
  width: number | undefined;
}

export function validateReport(loaded: LoadedSettings, { checks, warnings }: Findings, page: Page): string {
  const { style, width } = page;
  const section = (title: string, rows: readonly string[][]) => titled(title, rows, width);
  const sections = [
    ...section('Files', fileRows(loaded)),
    ...changedBlocks(loaded).flatMap(([block, rows]) => section(block, rows)),
    ...section('Checks', checkRows(checks, style)),
    ...section(
      'Warnings',
      warnings.map((sentence) => [shown(sentence)]),
    ),
    verdict(checks),
  ];
  return `${sections.join('\n')}\n`;
}

const INDENT = '  ';

function titled(title: string, rows: readonly string[][], width: number | undefined): string[] {
  if (rows.length === 0) return [];
  const lines = columns(rows, width === undefined ? undefined : width - INDENT.length);
  return [title, ...lines.map((line) => INDENT + line), ''];
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
function changedBlocks({ settings, sources }: LoadedSettings): [block: string, rows: string[][]][] {
  const rows = new Map<string, string[][]>();
  mapLeaves({ schema: Settings, value: settings, path: '' }, (leaf) => {
    const source = sources[leaf.path] ?? 'default';
    const block = /^[^.[]*/.exec(leaf.path)?.[0] ?? '';
    const field = leaf.path.slice(block.length).replace(/^\./, '') || block;
    const row = [field, JSON.stringify(withoutSecret(leaf)), source].map(shown);
    if (source !== 'default') rows.set(block, [...(rows.get(block) ?? []), row]);
  });
  return [...rows];
}

/** A row each, with what to do below it. */
function checkRows(checks: readonly Check[], style: Style): string[][] {
  const marks = { ok: style.good('✓'), warning: style.warn('!'), failed: style.bad('✗') };
  return checks.flatMap(({ name, state, found, todo }) => [
    [`${marks[state]} ${name}`, shown(found)],
    ...(todo === undefined ? [] : [['', style.dim(`→ ${shown(todo)}`)]]),
  ]);
}

function verdict(checks: readonly Check[]): string {
  const of = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const failed = of('failed');
  const warnings = of('warning');
  const also = warnings === 0 ? '' : `, ${warnings} to look at`;
  if (failed === 0) return `Everything that was checked is in order${also}.`;
  return `${failed} of ${checks.length} checks failed${also}.`;
}
