/** `skein prompts`: shows prompt files and their versions, edits a file, and restores an earlier version. */
import { userInfo } from 'node:os';
import { type PromptEditor, promptEditor } from '../../../prompts/editor.ts';
import type { PromptStore } from '../../../prompts/store.ts';
import { createRenderer } from '../../../prompts/templates/renderer.ts';
import { discoverWorkflows } from '../../../runtime/workflows/discovery.ts';
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import { configurationError, SkeinError } from '../../../state/errors.ts';
import { openCommandPrompts } from '../../service/drivers/command-prompts.ts';
import { subcommand, takeFlags } from '../../terminal/own-flags.ts';
import { editPrompt } from './edit.ts';
import { lineDiff } from './line-diff.ts';

interface Prompts {
  store: PromptStore;
  editor: PromptEditor;
}

interface Command {
  usage: string;
  /** The least and the greatest number of arguments. */
  words: readonly [number, number];
  run(prompts: Prompts, words: readonly string[]): Promise<string>;
}

const COMMANDS: Record<string, Command> = {
  list: { usage: 'skein prompts list [REVISION]', words: [0, 1], run: list },
  show: { usage: 'skein prompts show REVISION FILE [VERSION]', words: [2, 3], run: show },
  edit: { usage: 'skein prompts edit REVISION FILE', words: [2, 2], run: edit },
  history: { usage: 'skein prompts history REVISION FILE', words: [2, 2], run: history },
  restore: { usage: 'skein prompts restore REVISION FILE VERSION', words: [3, 3], run: restore },
  diff: { usage: 'skein prompts diff REVISION FILE VERSION [VERSION]', words: [3, 4], run: diff },
};

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function promptsCommand([action = '', ...argv]: string[]): Promise<number> {
  const command = subcommand(COMMANDS, action);
  if (!command)
    throw configurationError(
      'arguments',
      `expected ${Object.keys(COMMANDS).join(', ')}, as in skein prompts list`,
    );
  const { words: given, rest } = takeFlags(argv, []);
  const words = separated(given);
  const [least, most] = command.words;
  if (words.length < least || words.length > most)
    throw configurationError('arguments', `expected ${command.usage}`);
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  const { shipped } = await discoverWorkflows(loaded.projectFolder, loaded.settings.workflows);
  const { store, close } = await openCommandPrompts(loaded.settings, shipped);
  try {
    const text = await command.run({ store, editor: promptEditor(store, shipped, createRenderer()) }, words);
    process.stdout.write(text);
    return 0;
  } catch (error) {
    if (!(error instanceof SkeinError) || error.code === 'CONFIGURATION_ERROR') throw error;
    console.error([error.message, error.detail].filter(Boolean).join(': '));
    return 1;
  } finally {
    await close();
  }
}

async function list({ store }: Prompts, [revision]: readonly string[]): Promise<string> {
  if (revision !== undefined) return lines(await store.list(revision));
  const revisions = await store.revisions();
  return lines(
    revisions.map(({ revision_id, files, source }) => `${revision_id}  ${files} files  ${source}`),
  );
}

async function show(
  prompts: Prompts,
  [revision = '', file = '', version]: readonly string[],
): Promise<string> {
  return textOf(prompts, { revision, file }, version);
}

async function history({ store }: Prompts, [revision = '', file = '']: readonly string[]): Promise<string> {
  const versions = await store.history({ revision, file });
  return lines(
    versions.map(({ version, created_at, author, size }) =>
      [
        String(version).padStart(4),
        (created_at ?? '').padEnd(24),
        `${size} bytes`.padEnd(11),
        author ?? 'by hand',
      ].join('  '),
    ),
  );
}

async function edit({ store, editor }: Prompts, [revision = '', file = '']: readonly string[]) {
  const command = process.env.VISUAL || process.env.EDITOR || 'vi';
  const name = { revision, file };
  return editPrompt(store, editor, { name, author: author(), command, again });
}

function again(problem: string): boolean {
  if (!process.stdin.isTTY) return false;
  const answer = prompt(`${problem}\nEdit again? [Y/n]`);
  return answer !== null && !/^n/i.test(answer);
}

function author(): string {
  return `cli:${userInfo().username}`;
}

async function restore(
  { editor }: Prompts,
  [revision = '', file = '', version = '']: readonly string[],
): Promise<string> {
  const restored = await editor.restore({ revision, file }, numberOf(version), { author: author() });
  return `${file} of revision ${revision} is now version ${restored.version}, with the text of version ${version}\n`;
}

async function diff(
  prompts: Prompts,
  [revision = '', file = '', before, after]: readonly string[],
): Promise<string> {
  const name = { revision, file };
  return lines(lineDiff(await textOf(prompts, name, before), await textOf(prompts, name, after)));
}

async function textOf({ store }: Prompts, name: { revision: string; file: string }, version?: string) {
  const { bytes } = await store.read(name, version === undefined ? undefined : numberOf(version));
  return new TextDecoder().decode(bytes);
}

/** `REVISION/FILE` is accepted as well: neither contains a slash. */
function separated([name = '', ...words]: readonly string[]): string[] {
  return name === '' ? [] : [...name.split('/'), ...words];
}

function numberOf(version: string): number {
  if (!/^\d{1,9}$/.test(version)) throw configurationError('arguments', 'expected a version number');
  return Number(version);
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
