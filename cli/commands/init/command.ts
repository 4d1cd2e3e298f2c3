/** `skein init`: creates a project with its own workflows beside those of the core. */
import { mkdir, readdir } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { configurationError } from '../../../state/errors.ts';
import { openKeyboard } from '../../terminal/keyboard.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';
import { shown, styleFor } from '../../terminal/style.ts';
import { type Answers, promptedAnswers, silentAnswers } from './answers.ts';
import { bunCommand } from './bun-command.ts';
import { packageName } from './package-json.ts';
import { skeinSource } from './skein-source.ts';
import { type Template, templateNamed, usualTemplate } from './templates.ts';
import { type Written, writeProject } from './write-project.ts';

const USAGE = 'expected a folder, as in skein init my-service';
const FLAGS = [{ name: '--yes' }, { name: '--force' }, { name: '--template', takes: 'react-agent' }];

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line and for a folder that is not empty. */
export async function initCommand(argv: string[]): Promise<number> {
  const { own, words } = takeFlags(argv, FLAGS, []);
  const [name, ...more] = words;
  if (!name || more.length > 0) throw configurationError('arguments', USAGE);
  const folder = resolve(name);
  const named = own.get('--template');
  const template = named === undefined ? undefined : templateNamed(named);
  const isEmpty = (await entriesOf(folder)).length === 0;
  if (!isEmpty && !own.has('--force'))
    throw configurationError(
      'arguments',
      'the folder is not empty; --force adds what is missing and changes nothing',
    );
  const answers = await answersFor(folder, template, own.has('--yes'));
  await mkdir(folder, { recursive: true });
  const written = await writeProject(folder, { answers, source: await skeinSource() });
  report(folder, written);
  if (answers.asksCallers && written.written.includes('.env'))
    print('\nCallers use the user name and password in .env.');
  return 0;
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR') throw configurationError('arguments', 'expected a folder, not a file');
    throw error;
  }
}

async function answersFor(
  folder: string,
  template: Template | undefined,
  isSilent: boolean,
): Promise<Answers> {
  const { stdin, stdout } = process;
  const usual = { name: packageName(basename(folder)), template: template ?? usualTemplate(folder) };
  if (isSilent || !stdin.isTTY || !stdout.isTTY) return silentAnswers(usual);
  const keyboard = openKeyboard(stdin, stdout);
  try {
    return await promptedAnswers(usual, template, keyboard);
  } finally {
    keyboard.close();
  }
}

function report(folder: string, { written, unchanged, added, scripts }: Written): void {
  const style = styleFor(process.stdout, process.env);
  for (const name of byFolder(written)) print(`${style.good('+')} ${shown(name)}`);
  if (added.length > 0) print(`${style.good('+')} package.json: ${shown(added.join(', '))}`);
  for (const name of byFolder(unchanged)) print(style.dim(`= ${shown(name)}, unchanged`));
  const path = relative(process.cwd(), folder) || '.';
  const enter = path === '.' ? '' : `cd ${quoted(shown(path))}\n`;
  const bun = bunCommand(process.env.PATH ?? '');
  // A script of another name is the project's own.
  const start = scripts.has('start') ? 'start' : 'skein serve';
  const test = scripts.has('test') ? 'run test' : 'test';
  print(`\n${enter}${bun} install\n${bun} run ${start}   # http://localhost:8080\n${bun} ${test}`);
}

/** Files of the project's own folder by name, those of subfolders by their number. */
function byFolder(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) =>
    file.includes('/') ? file.slice(0, file.indexOf('/') + 1) : file,
  );
  return [...folders].map(([name, { length }]) => {
    if (!name.endsWith('/')) return name;
    return `${name} (${length} ${length === 1 ? 'file' : 'files'})`;
  });
}

/** Quotes the name for a shell if it needs it. */
function quoted(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
