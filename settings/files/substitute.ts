/** Replaces `${VAR}` and `${VAR:default}` in the strings of a file with environment variables. */
import type { Problem } from '../../state/schema/check-options.ts';
import { mapLeaves } from '../../state/schema/walk-schema.ts';
import type { Variables } from '../environment/variables.ts';

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/g;

interface Substituted {
  value: unknown;
  problems: Problem[];
  /** The variables that the text refers to. */
  references: Set<string>;
}

/** Not recursive: references in a variable's value are not replaced. A string that becomes empty counts as unset. */
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
  return `environment variable ${name} is not set, and no default is given`;
}
