/** Decides whether a message can be searched for without the conversation before it. */
import { smallWordsOf } from '../../tools/knowledge/local/words/small-words.ts';
import { contentTerms, wordsOf } from '../../tools/knowledge/local/words/terms.ts';

/** A message with fewer meaningful words may depend on the previous one. */
const ENOUGH = 3;

const LEANS =
  /^\W*(?:and|or|but|also|then|so|what about|how about|what if|why|really|are you sure|same|instead)\b|\b(?:it|its|that|this|those|these|they|them|their|he|she|him|her|his|one|ones|such|other|others|another|former|latter|above|previous|again|else)\b/i;

/** False in case of doubt, because only English words that refer to something are known. */
export function standsAlone(message: string): boolean {
  const words = wordsOf(message);
  const { isOther, isSmall } = smallWordsOf(words);
  if (isOther || !words.some(isSmall)) return false;
  return !LEANS.test(message) && contentTerms(message).size >= ENOUGH;
}
