/** Prompt files: found by revision and name, rendered with variables. */
import { SkeinError } from '../state/errors.ts';
import type { UsedPrompt } from '../state/threads/run-trace.ts';
import { DEFAULT_REVISION, describePrompt, type PromptName } from './names.ts';
import { TemplateFailure } from './templates/failure.ts';
import { createRenderer, type Renderer } from './templates/renderer.ts';

/** A prompt file's text and name. */
export interface PromptText {
  text: string;
  used: UsedPrompt;
}

/** A prompt file's name, and its earlier one, under which a user's file is still used. */
export interface WantedPrompt {
  file: string;
  earlier?: string | undefined;
}

/** A source of prompt texts. The shipped files are revision `default`, which every other revision falls back to. */
export interface PromptSource {
  /** A file of a revision, or of `default` if the revision lacks it; undefined if it doesn't exist. */
  read(wanted: WantedPrompt, revision: string): Promise<PromptText | undefined>;
  /** Names of all files, sorted. */
  list(): Promise<string[]>;
}

export interface Prompts {
  /**
   * Renders `file` with `variables` (`.jinja`), or returns it unchanged (`.md`, `.txt`). Uses the first
   * existing one of several names. Values are never parsed: template syntax in them stays text.
   */
  render(files: string[], variables: Record<string, unknown>, revision?: string): Promise<string>;
  /** The same, with the name of the rendered file. */
  renderFrom(
    wanted: WantedPrompt[],
    variables: Record<string, unknown>,
    revision?: string,
  ): Promise<PromptText>;
  list(): Promise<string[]>;
}

export function createPrompts(source: PromptSource, renderer: Renderer = createRenderer()): Prompts {
  const renderFrom: Prompts['renderFrom'] = async (wanted, variables, revision = DEFAULT_REVISION) => {
    for (const each of wanted) {
      const found = await source.read(each, revision);
      if (!found) continue;
      const file = found.used.filename;
      if (!file.endsWith('.jinja')) return found;
      const text = await renderer.render(found.text, variables).catch((cause) => {
        throw cause instanceof TemplateFailure ? notRendered({ revision, file }, cause) : cause;
      });
      return { text, used: found.used };
    }
    throw new SkeinError('CONFIGURATION_ERROR', {
      message: `Validation error in field 'prompts': prompt file '${wanted[0]?.file}' does not exist`,
    });
  };
  return {
    list: () => source.list(),
    renderFrom,
    async render(files, variables, revision) {
      const wanted = files.map((file) => ({ file }));
      return (await renderFrom(wanted, variables, revision)).text;
    },
  };
}

function notRendered(name: PromptName, cause: TemplateFailure): SkeinError {
  return new SkeinError('CONFIGURATION_ERROR', {
    message: `Validation error in field 'prompts': prompt file '${name.file}' cannot be rendered`,
    detail: `${describePrompt(name)}: ${cause.message}`,
    cause,
  });
}
