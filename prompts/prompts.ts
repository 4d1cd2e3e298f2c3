/** Prompt files: found by revision and name, rendered with variables. */
import { Template } from '@huggingface/jinja';
import { SkeinError } from '../state/errors.ts';
import { DEFAULT_REVISION } from './names.ts';

/** Where prompt texts come from. Shipped files are revision `default`, which every other revision falls back to. */
export interface PromptSource {
  /** The text of a file in a revision, or in `default` where the revision lacks it; undefined where there is none. */
  read(file: string, revision: string): Promise<string | undefined>;
  /** Names of all files, sorted. */
  list(): Promise<string[]>;
}

export interface Prompts {
  /**
   * The text of `file` with `variables` put in (`.jinja`), or as it is (`.md`, `.txt`). The first of several names that
   * exists is taken. Values are only ever values: template syntax in them stays text.
   */
  render(files: string[], variables: Record<string, unknown>): Promise<string>;
  list(): Promise<string[]>;
}

export function createPrompts(source: PromptSource): Prompts {
  const parsed = new Map<string, Template>();

  function template(text: string): Template {
    const known = parsed.get(text);
    if (known) return known;
    const fresh = new Template(text);
    parsed.set(text, fresh);
    return fresh;
  }

  return {
    list: () => source.list(),
    async render(files, variables) {
      for (const file of files) {
        const text = await source.read(file, DEFAULT_REVISION);
        if (text === undefined) continue;
        if (!file.endsWith('.jinja')) return text;
        try {
          return template(text).render(variables);
        } catch (cause) {
          throw new SkeinError('CONFIGURATION_ERROR', {
            message: `Validation error in field 'prompts': the prompt file '${file}' cannot be rendered`,
            cause,
          });
        }
      }
      throw new SkeinError('CONFIGURATION_ERROR', {
        message: `Validation error in field 'prompts': there is no prompt file '${files[0]}'`,
      });
    },
  };
}
