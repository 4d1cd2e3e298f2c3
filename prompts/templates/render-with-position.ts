/** Renders a template, and says where in its text it failed: the engine does not know. */
import { TemplateFailure } from './failure.ts';
import type { Program } from './parse.ts';
import { renderTemplate } from './render.ts';
import { positionAt, tagsOf } from './tags.ts';

/** `program` is what was parsed of the template. Throws TemplateFailure, with line and column where they are certain. */
export function renderWithPosition(
  template: string,
  program: Program,
  variables: Record<string, unknown>,
): string {
  try {
    return renderTemplate(program, variables);
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    throw new TemplateFailure(error.message, positionOf(template, error.message));
  }
}

const NAMED = /(?:variable|filter|test) '([^']+)'/;

/** Of the only tag that has the name in the reason; undefined where several have it, or none. */
function positionOf(template: string, reason: string): { line: number; column: number } | undefined {
  const name = NAMED.exec(reason)?.[1];
  if (name === undefined) return undefined;
  const word = new RegExp(`(?<![\\w.])${RegExp.escape(name)}(?!\\w)`);
  const [found, ...more] = tagsOf(template).filter(({ text }) => !text.startsWith('{#') && word.test(text));
  return found && more.length === 0 ? positionAt(template, found.start) : undefined;
}
