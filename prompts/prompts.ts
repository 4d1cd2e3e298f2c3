/** Prompt files: found by revision and name, rendered with variables. */
import { SkeinError } from '../state/errors.ts';
import type { UsedPrompt } from '../state/run-trace.ts';
import { DEFAULT_REVISION, type PromptName, placeOf } from './names.ts';
import { TemplateFailure } from './templates/failure.ts';
import { createRenderer, type Renderer } from './templates/renderer.ts';

/** A prompt file's text, and which file it is. */
export interface PromptText {
  text: string;
  used: UsedPrompt;
}

/** A prompt file by its name, and by the one that it had before: an owner's file of that name is still used. */
export interface WantedPrompt {
  file: string;
  earlier?: string | undefined;
}

/** Where prompt texts come from. Shipped files are revision `default`, which every other revision falls back to. */
export interface PromptSource {
  /** A file of a revision, or of `default` where the revision lacks it; undefined if there is none. */
  read(wanted: WantedPrompt, revision: string): Promise<PromptText | undefined>;
  /** Names of all files, sorted. */
  list(): Promise<string[]>;
}

export interface Prompts {
  /**
   * The text of `file` with `variables` put in (`.jinja`), or as it is (`.md`, `.txt`). The first of several names that
   * exists is taken. Values are only ever values: template syntax in them stays text.
   */
  render(files: string[], variables: Record<string, unknown>, revision?: string): Promise<string>;
  /** The same, and which file it was rendered from. */
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
      message: `Validation error in field 'prompts': there is no prompt file '${wanted[0]?.file}'`,
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
    message: `Validation error in field 'prompts': the prompt file '${name.file}' cannot be rendered`,
    detail: `${placeOf(name)}: ${cause.message}`,
    cause,
  });
}
