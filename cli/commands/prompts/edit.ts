/** `skein prompts edit`: a prompt file in the person's own editor, saved only if it is valid and nobody else was faster. */
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
  /** The command that edits a file, as the shell has it. */
  command: string;
  /** Asks a person whether to go on; false where there is nobody. */
  again(problem: string): boolean;
}

/**
 * Gives what to tell. Throws what refuses the text, which then lies in the file that the error names. A file that a
 * revision lacks begins as the one that it would use.
 */
export async function editPrompt(store: PromptStore, editor: PromptEditor, edit: Edit): Promise<string> {
  const { name, author, command } = edit;
  if (!isPromptName(name)) throw promptError('PROMPT_INVALID', name, 'not a valid name of a prompt file');
  const before = await found(store, name);
  const shown = before ?? (await found(store, { ...name, revision: DEFAULT_REVISION }));
  const folder = await mkdtemp(join(tmpdir(), 'skein-prompt-'));
  const copy = join(folder, name.file);
  await writeFile(copy, shown?.bytes ?? '', { mode: 0o600 });
  let told: string | undefined;
  do told = await saved();
  while (told === undefined);
  await rm(folder, { recursive: true });
  return told;

  /** Undefined where the person wants to go on with it. */
  async function saved(): Promise<string | undefined> {
    await runEditor(command, copy);
    const bytes = await readFile(copy);
    if (shown && bytes.equals(shown.bytes)) return `${name.file} is as it was, nothing was saved\n`;
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

/** As git does: the command may have arguments of its own. */
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
