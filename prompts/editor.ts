/** Edits prompt files: rejects unusable ones before they are saved. */
import { SkeinError } from '../state/errors.ts';
import { DEFAULT_REVISION, isPromptName, type PromptName, promptError } from './names.ts';
import type { PromptSource, PromptText } from './prompts.ts';
import { MAX_PROMPT_BYTES, type PromptStore, type PromptVersion, type Write } from './store.ts';
import { TemplateFailure } from './templates/failure.ts';
import type { Renderer } from './templates/renderer.ts';

type Change = Omit<Write, 'bytes'>;

/** Throws PROMPT_INVALID for unusable files, with line and column for template errors. */
export interface PromptEditor {
  /**
   * Rejects a text that could not replace the file, or the one in `default` that it falls back to;
   * PROMPT_NOT_FOUND if neither exists.
   */
  checkTrial(name: PromptName, content: string): Promise<void>;
  update(name: PromptName, content: string, change: Change): Promise<PromptVersion>;
  /** Saves the text of the old version as a new version. */
  restore(name: PromptName, version: number, change: Change): Promise<PromptVersion>;
  /** Renders the saved text, or `content`, with these variables. */
  preview(name: PromptName, variables: Record<string, unknown>, content?: string): Promise<string>;
  /** The variables that the saved template needs; none for a file that is not a template or cannot be parsed. */
  variables(name: PromptName): Promise<ReadonlySet<string>>;
}

export function promptEditor(store: PromptStore, shipped: PromptSource, renderer: Renderer): PromptEditor {
  /** A workflow passes the same variables to a file as to the shipped one. */
  async function check(name: PromptName, content: string): Promise<void> {
    refuseName(name);
    if (Buffer.byteLength(content) > MAX_PROMPT_BYTES)
      throw promptError('PROMPT_INVALID', name, `larger than ${MAX_PROMPT_BYTES} bytes`);
    if (!name.file.endsWith('.jinja')) return;
    const original = await shippedFor(name);
    const needed = await neededBy(name, content);
    if (original === undefined) return;
    const given = await neededBy(name, original.text);
    const [unknown] = needed.difference(given);
    if (unknown === undefined) return;
    const there = given.size > 0 ? `; there are: ${[...given].join(', ')}` : '; there are none';
    throw promptError('PROMPT_INVALID', name, `the variable '${unknown.slice(0, 100)}' is undefined${there}`);
  }

  /** An update may still use the earlier name of a step's file, without the agent: `<workflow>.<step>.jinja`. */
  async function shippedFor({ file, revision }: PromptName): Promise<PromptText | undefined> {
    const found = await shipped.read({ file }, revision);
    const [now, ...others] = found ? [] : (await shipped.list()).filter((each) => earlierName(each) === file);
    return now === undefined || others.length > 0 ? found : shipped.read({ file: now }, revision);
  }

  function neededBy(name: PromptName, template: string): Promise<ReadonlySet<string>> {
    return renderer.needs(template).catch((error) => {
      throw asInvalid(name, error);
    });
  }

  async function textOf(name: PromptName, version?: number): Promise<string> {
    return new TextDecoder().decode((await store.read(name, version)).bytes);
  }

  async function exists(name: PromptName): Promise<boolean> {
    return store.read(name).then(
      () => true,
      (error) => {
        if (error instanceof SkeinError && error.code === 'PROMPT_NOT_FOUND') return false;
        throw error;
      },
    );
  }

  return {
    async checkTrial(name, content) {
      const standIn = { ...name, revision: DEFAULT_REVISION };
      const found = isPromptName(name) && ((await exists(name)) || (await exists(standIn)));
      if (!found) throw promptError('PROMPT_NOT_FOUND', name);
      await check(name, content);
    },
    async update(name, content, change) {
      await check(name, content);
      return store.write(name, { ...change, bytes: Buffer.from(content) });
    },
    async restore(name, version, change) {
      refuseName(name);
      const { bytes } = await store.read(name, version);
      await check(name, new TextDecoder().decode(bytes));
      return store.write(name, { ...change, bytes });
    },
    async preview(name, variables, content) {
      if (content !== undefined && Buffer.byteLength(content) > MAX_PROMPT_BYTES)
        throw promptError('PROMPT_INVALID', name, `larger than ${MAX_PROMPT_BYTES} bytes`);
      if (content !== undefined) refuseName(name);
      const text = content ?? (await textOf(name));
      if (!name.file.endsWith('.jinja')) return text;
      return renderer.preview(text, variables).catch((error) => {
        throw asInvalid(name, error);
      });
    },
    async variables(name) {
      if (!name.file.endsWith('.jinja')) return new Set();
      const text = await textOf(name);
      return renderer.needs(text).catch((error) => {
        if (error instanceof TemplateFailure) return new Set<string>();
        throw error;
      });
    },
  };
}

function earlierName(file: string): string | undefined {
  const [workflow, _agent, step, ending, ...more] = file.split('.');
  return ending === undefined || more.length > 0 ? undefined : `${workflow}.${step}.${ending}`;
}

function refuseName(name: PromptName): void {
  if (!isPromptName(name)) throw promptError('PROMPT_INVALID', name, 'not a valid name of a prompt file');
}

function asInvalid(name: PromptName, error: unknown): unknown {
  return error instanceof TemplateFailure ? promptError('PROMPT_INVALID', name, error.message, error) : error;
}
