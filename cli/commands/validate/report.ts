/** The output of `skein validate`: the files, the settings that are not defaults with their source, and the checks. */
import type { LoadedSettings } from '../../../settings/load.ts';
import { withoutSecret } from '../../../settings/redact.ts';
import { Settings } from '../../../settings/schema.ts';
import { mapLeaves } from '../../../state/schema/walk-schema.ts';
import type { Check } from '../../service/checks/check.ts';
import { columns, type Style, shown } from '../../terminal/style.ts';

export interface Findings {
  checks: readonly Check[];
  /** A sentence for each warning about the settings. */
  warnings: readonly string[];
}

/** `width`: the terminal's width, if there is a terminal. */
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
      files.config ?? 'not found, defaults apply; set another with SERVICE_PROJECT_PATH or --config',
    ],
    [
      'profiles.yml',
      files.profiles ?? 'not found, optional; set another with SERVICE_PROFILE_PATH or --profiles',
    ],
    ['.env', files.env ?? `not found, optional; create it in ${projectFolder}`],
  ];
}

/** A section for each block with settings that are not defaults. */
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

/** A row per check, with the action below it. */
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
  const also = warnings === 0 ? '' : `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  if (failed === 0) return `All checks passed${also}.`;
  return `${failed} of ${checks.length} checks failed${also}.`;
}
