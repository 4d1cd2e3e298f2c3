/** Finds the name with which a person introduces themselves. */

const SURE_INTRODUCTION =
  /\b(?:my (?:full |first |real )?name(?: is|'s)|(?:the )?user(?:'s name is| is (?:called|named))|i(?: am|'m) (?:called|named))\s+/i;
/**
 * Matches "I am Ana", but could also match "I am German" and "the bike I am Selling", so it requires the beginning of a clause
 * and a capital letter.
 */
const LIKELY_INTRODUCTION =
  /(?:^|[,;:.!]\s*|\b(?:and|hi|hello|hey) )(?:i am|i'm|this is|(?:you can |please |just )?call me)\s+(?=\p{Lu}|\p{Lo})/iu;

const NO_NAMES = new Set(
  `not on in the a an spelled misspelled wrong missing also still very really so too just important private no your back later what
  german french spanish italian american british english dutch swiss austrian european canadian australian indian chinese japanese
  polish portuguese brazilian russian ukrainian turkish greek swedish danish norwegian irish scottish mexican
  monday tuesday wednesday thursday friday saturday sunday okay ok ceo cto vegan vegetarian mr mrs ms dr`
    .trim()
    .split(/\s+/),
);

/**
 * The name in "My name is Ana", "I'm called Ana", "call me Ana" or "I am Ana", as it is written; otherwise undefined.
 */
export function statedName(sentence: string): string | undefined {
  const sure = SURE_INTRODUCTION.exec(sentence);
  if (sure) return nameAt(sentence.slice(sure.index + sure[0].length));
  const likely = LIKELY_INTRODUCTION.exec(sentence);
  const rest = likely ? sentence.slice(likely.index + likely[0].length) : '';
  const isIntroduction = /this is\s+$/i.test(likely?.[0] ?? '')
    ? /^\S+(?: \p{Lu}\S*)?\s*(?:[.,!]|here\b|speaking\b|$)/u
    : /^\p{Lu}|^\p{Lo}/u;
  return isIntroduction.test(rest) ? nameAt(rest) : undefined;
}

/** Whether the sentence asks for the speaker's own name. */
export function asksForName(sentence: string): boolean {
  return /\bmy (?:own |full |first |real )?name\b|\bwho (?:am i|i am)\b|\bwhat am i called\b/i.test(sentence);
}

/** A word and the capitalized words that follow it. If the first word has no capital letter, only this word. */
function nameAt(rest: string): string | undefined {
  const [first] = /^["'“]?\p{L}[\p{L}\p{M}'-]*/u.exec(rest) ?? [];
  const name = first?.replace(/^["'“]|'$/g, '');
  if (first === undefined || !name || NO_NAMES.has(name.toLowerCase())) return undefined;
  if (!/^\p{Lu}/u.test(name)) return name;
  const following = /^(?:\s+\p{Lu}[\p{L}\p{M}'-]*){0,3}/u.exec(rest.slice(first.length))?.[0] ?? '';
  return `${name}${following.replace(/\s+(?:I|I'm|I've|And)\b.*$/, '')}`;
}
