/** Prompt files: found by revision and name, rendered with variables. */
import { SkeinError } from '../state/errors.ts';
import { DEFAULT_REVISION, type PromptName, placeOf } from './names.ts';
import { TemplateFailure } from './templates/failure.ts';
import { createRenderer, type Renderer } from './templates/renderer.ts';

/** Where prompt texts come from. Shipped files are revision `default`, which every other revision falls back to. */
export interface PromptSource {
  /** The text of a file in a revision, or in `default` where the revision lacks it; undefined where there is none. */
  read(file: string, revision: string): Promise<string | undefined>;
  /** Names of all files, sorted. */
  list(): Promise<string[]>;
}

/** A source that knows its revisions. */
export interface RevisionSource extends PromptSource {
  /** Whether there is a revision of that name, which may be anything, with a file in it. */
  exists(revision: string): Promise<boolean>;
}

export interface Prompts {
  /**
   * The text of `file` with `variables` put in (`.jinja`), or as it is (`.md`, `.txt`). The first of several names that
   * exists is taken. Values are only ever values: template syntax in them stays text.
   */
  render(files: string[], variables: Record<string, unknown>, revision?: string): Promise<string>;
  /** Whether there is a revision of that name, which may be anything. */
  exists(revision: string): Promise<boolean>;
  list(): Promise<string[]>;
}

export function createPrompts(source: RevisionSource, renderer: Renderer = createRenderer()): Prompts {
  return {
    list: () => source.list(),
    exists: (revision) => source.exists(revision),
    async render(files, variables, revision = DEFAULT_REVISION) {
      for (const file of files) {
        const text = await source.read(file, revision);
        if (text === undefined) continue;
        if (!file.endsWith('.jinja')) return text;
        return renderer.render(text, variables).catch((cause) => {
          throw cause instanceof TemplateFailure ? notRendered({ revision, file }, cause) : cause;
        });
      }
      throw new SkeinError('CONFIGURATION_ERROR', {
        message: `Validation error in field 'prompts': there is no prompt file '${files[0]}'`,
      });
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
