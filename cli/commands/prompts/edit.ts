/** `skein prompts edit`: opens a prompt file in the editor, and saves it if it is valid and unchanged on the server. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PromptEditor } from '../../../prompts/editor.ts';
import { DEFAULT_REVISION, isPromptName, type PromptName, promptError } from '../../../prompts/names.ts';
import type { PromptFile, PromptStore } from '../../../prompts/store.ts';
import { configurationError, SkeinError } from '../../../state/errors.ts';

export interface Edit {
  name: PromptName;
  author: string;
  /** The editor's command line, for the shell. */
  command: string;
  /** Asks a person whether to continue; false without a terminal. */
  again(problem: string): boolean;
}

/**
 * Returns the message to print. If the text is rejected, throws an error that names the file with the text. A file that a
 * revision lacks starts with the text of the revision that it falls back to.
 */
export async function editPrompt(store: PromptStore, editor: PromptEditor, edit: Edit): Promise<string> {
  const { name, author, command } = edit;
  if (!isPromptName(name)) throw promptError('PROMPT_INVALID', name, 'not a valid name of a prompt file');
  const before = await found(store, name);
  const shown = before ?? (await found(store, { ...name, revision: DEFAULT_REVISION }));
  const folder = await mkdtemp(join(tmpdir(), 'skein-prompt-'));
  const copy = join(folder, name.file);
  await writeFile(copy, shown?.bytes ?? '', { mode: 0o600 });
  let outcome: string | undefined;
  do outcome = await saved();
  while (outcome === undefined);
  await rm(folder, { recursive: true });
  return outcome;

  /** Undefined if the person continues editing. */
  async function saved(): Promise<string | undefined> {
    await runEditor(command, copy);
    const bytes = await readFile(copy);
    if (shown && bytes.equals(shown.bytes)) return `${name.file} is unchanged; nothing was saved\n`;
    try {
      const change = { author, ifMatch: before?.etag };
      const { version } = await editor.update(name, textOf(name, bytes), change);
      return `${name.file} of revision ${name.revision} is now version ${version}\n`;
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      if (error.code === 'PROMPT_INVALID' && edit.again(`${error.message}: ${error.detail}`))
        return undefined;
      const detail = `${error.detail}\nYour text is kept in ${copy}`;
      throw new SkeinError(error.code, { message: error.message, detail, cause: error });
    }
  }
}

async function found(store: PromptStore, name: PromptName): Promise<PromptFile | undefined> {
  return store.read(name).catch((error) => {
    if (error instanceof SkeinError && error.code === 'PROMPT_NOT_FOUND') return undefined;
    throw error;
  });
}

/** As in git, the command may have arguments. */
async function runEditor(command: string, file: string): Promise<void> {
  const child = Bun.spawn(['sh', '-c', `${command} "$@"`, 'sh', file], {
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  const code = await child.exited;
  if (code === 0) return;
  const reason = `the editor '${command}' ended with ${code}; nothing was saved, your text is kept in ${file}`;
  throw configurationError('EDITOR', reason);
}

function textOf(name: PromptName, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw promptError('PROMPT_INVALID', name, 'not UTF-8', cause);
  }
}
