/** What `skein validate` prints: the files, the settings that are not defaults and their source, and the checks. */
import type { LoadedSettings } from '../settings/load.ts';
import { withoutSecret } from '../settings/redact.ts';
import { Settings } from '../settings/schema.ts';
import { mapLeaves } from '../state/walk-schema.ts';
import type { Check } from './checks/check.ts';
import { columns, type Style, shown } from './terminal.ts';

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
  const sections = [
    ...section('Files', columns(fileRows(loaded).map((row) => row.map(shown)))),
    ...changedBlocks(loaded),
    ...section('Checks', checkLines(checks, page)),
    ...section('Warnings', warnings.map(shown)),
    verdict(checks),
  ];
  return `${sections.join('\n')}\n`;
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
function changedBlocks({ settings, sources }: LoadedSettings): string[] {
  const rows = new Map<string, string[][]>();
  mapLeaves({ schema: Settings, value: settings, path: '' }, (leaf) => {
    const source = sources[leaf.path] ?? 'default';
    const block = /^[^.[]*/.exec(leaf.path)?.[0] ?? '';
    const field = leaf.path.slice(block.length).replace(/^\./, '') || block;
    const row = [field, JSON.stringify(withoutSecret(leaf)), source].map(shown);
    if (source !== 'default') rows.set(block, [...(rows.get(block) ?? []), row]);
  });
  return [...rows].flatMap(([block, fields]) => section(block, columns(fields)));
}

/** A row each, with what to do below it. */
function checkLines(checks: readonly Check[], { style, width }: Page): string[] {
  const names = Math.max(...checks.map(({ name }) => Bun.stringWidth(name)));
  const marks = { ok: style.good('✓'), warning: style.warn('!'), failed: style.bad('✗') };
  // Two columns of the section, two of the mark, two between.
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(20, width - names - 6);
  return checks.flatMap(({ name, state, found, todo }) => {
    const [first = '', ...more] = [
      ...wrapped(shown(found), room),
      ...(todo === undefined ? [] : wrapped(`→ ${shown(todo)}`, room).map(style.dim)),
    ];
    const below = ' '.repeat(names + 4);
    return [`${marks[state]} ${name.padEnd(names)}  ${first}`, ...more.map((line) => below + line)];
  });
}

/** Paths are broken where they are too long for a line of their own. */
function wrapped(text: string, room: number): string[] {
  return room === Number.POSITIVE_INFINITY ? [text] : Bun.wrapAnsi(text, room, { hard: true }).split('\n');
}

function verdict(checks: readonly Check[]): string {
  const of = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const failed = of('failed');
  const warnings = of('warning');
  const also = warnings === 0 ? '' : `, ${warnings} to look at`;
  if (failed === 0) return `Everything that was checked is in order${also}.`;
  return `${failed} of ${checks.length} checks failed${also}.`;
}
