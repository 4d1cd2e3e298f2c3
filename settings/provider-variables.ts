/** Variables that look like those of the model provider and are not. */
import { nearest } from '../state/schema/nearest.ts';
import type { Variables } from './variables.ts';

const PREFIX = 'LLM_PROVIDER_';
const KNOWN = ['API_KEY', 'BASE_URL', 'MODEL', 'EMBEDDING_MODEL'];
const SIMILAR = /^LLM_?PROVIDERS?_?/i;

/** One sentence for each unread variable. They are not errors: other programs may use variables with the same prefix. */
export function unreadProviderVariables(variables: Variables, references: ReadonlySet<string>): string[] {
  const known = KNOWN.map((name) => PREFIX + name);
  const unread = [...variables].filter(
    ([name]) => SIMILAR.test(name) && !known.includes(name) && !references.has(name),
  );
  return unread.map(([name, { origin }]) => {
    const meant = meantBy(name.replace(SIMILAR, '').toUpperCase());
    const hint = meant ? `did you mean ${PREFIX}${meant}?` : `the known ones are ${known.join(', ')}`;
    return `${origin.source} is not read; ${hint}`;
  });
}

/** `KEY` and `URL` alone are too short for a spelling match, so match the end of the name too. */
function meantBy(name: string): string | undefined {
  return nearest(name, KNOWN) ?? KNOWN.find((known) => known.endsWith(`_${name}`));
}
