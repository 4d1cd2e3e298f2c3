/** Names in a question that stand for themselves, in whatever language it is asked: `foreign_keys`, `--onto`, `VACUUM`. */

const QUOTED = /[`"“„'‘]([^`"“”„'‘’\n]{3,60})[`"”“'’]/gu;
const NAME = /(?<![\p{L}\p{N}_])(?:--?|\.)?[\p{L}_][\p{L}\p{N}_]*(?:(?:::|[.:/-])[\p{L}\p{N}_]+)*/gu;

/** As they were written. */
export function identifiersOf(query: string): string[] {
  const quoted = Array.from(query.matchAll(QUOTED), ([, name = '']) => name.trim());
  const names = Array.from(query.matchAll(NAME), ([name]) => name).filter(isIdentifier);
  return [...new Set([...quoted, ...names])];
}

/** Nobody writes like this by chance: within a word a capital, an underscore, a digit or a dot, or capitals alone. */
function isIdentifier(name: string): boolean {
  if (name.length < 4) return false;
  if (/^(?:--|\.)\p{L}/u.test(name) || /\p{L}_\p{L}|_\d|\p{Ll}\p{Lu}|::|\p{L}{2}\.\p{L}{2}/u.test(name))
    return true;
  return /^\p{Lu}{5,}$/u.test(name) || /^\p{L}+\d+\p{L}*$/u.test(name);
}
