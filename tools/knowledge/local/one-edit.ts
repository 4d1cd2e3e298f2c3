/** Spelling mistakes: one letter too many, too few or wrong, or two that have changed places. */

/** True for the same words too. Takes time in proportion to their length. */
export function isWithinOneEdit(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  const areSwapped = short[at] === long[at + 1] && short[at + 1] === long[at];
  return areSwapped && short.slice(at + 2) === long.slice(at + 2);
}
