/** Replaces `${VAR}` and `${VAR:default}` in the texts of a file by the environment's values. */
import type { Problem } from '../state/schema/check-options.ts';
import { mapLeaves } from '../state/schema/walk-schema.ts';
import type { Variables } from './variables.ts';

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/g;

interface Substituted {
  value: unknown;
  problems: Problem[];
  /** The variables that it refers to. */
  references: Set<string>;
}

/** Every text is replaced once: what a variable brings in is not looked at again. A text that becomes empty is unset. */
export function substitute(value: unknown, variables: Variables): Substituted {
  const problems: Problem[] = [];
  const references = new Set<string>();
  const substituted = mapLeaves({ schema: undefined, value, path: '' }, ({ value: text, path }) => {
    if (typeof text !== 'string' || text === '') return text;
    const replaced = text.replace(REFERENCE, (_, name: string, fallback: string | undefined) => {
      references.add(name);
      const known = variables.get(name)?.text ?? fallback;
      if (known === undefined) problems.push({ path, reason: unset(name) });
      return known ?? '';
    });
    return replaced === '' ? null : replaced;
  });
  return { value: substituted, problems, references };
}

function unset(name: string): string {
  return `the environment variable ${name} is not set and has no default`;
}
