/** Finds identifiers in a question in any language: `foreign_keys`, `--onto`, `VACUUM`. */

const QUOTED = /[`"“„'‘]([^`"“”„'‘’\n]{3,60})[`"”“'’]/gu;
const NAME = /(?<![\p{L}\p{N}_])(?:--?|\.)?[\p{L}_][\p{L}\p{N}_]*(?:(?:::|[.:/-])[\p{L}\p{N}_]+)*/gu;

/** The identifiers in their original spelling. */
export function identifiersOf(query: string): string[] {
  const quoted = Array.from(query.matchAll(QUOTED), ([, name = '']) => name.trim());
  const names = Array.from(query.matchAll(NAME), ([name]) => name).filter(isIdentifier);
  return [...new Set([...quoted, ...names])];
}

/** Matches words that prose rarely contains: inner capitals, underscores, digits or dots, or all capitals. */
function isIdentifier(name: string): boolean {
  if (name.length < 4) return false;
  if (/^(?:--|\.)\p{L}/u.test(name) || /\p{L}_\p{L}|_\d|\p{Ll}\p{Lu}|::|\p{L}{2}\.\p{L}{2}/u.test(name))
    return true;
  return /^\p{Lu}{5,}$/u.test(name) || /^\p{L}+\d+\p{L}*$/u.test(name);
}
