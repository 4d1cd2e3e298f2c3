/** Distinguishes questions, requests and statements about the speaker. */

import { words } from './text.ts';

const spaced = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const OPENERS =
  spaced(`what what's which who who's whose whom where where's why how how's is are am do does did can could would will
  should shall may has isn't aren't doesn't don't didn't can't couldn't won't wouldn't`);
const AUXILIARIES = spaced('is are was were do does did will would can could should has have am');
/** "What a ride!", "How I love it": exclamations that begin like questions. */
const EXCLAMATION_SECONDS = spaced('a an i nice great');
const IMPERATIVES =
  spaced(`please tell show give help cancel send explain find list recommend suggest write remind let make add put
  translate calculate compute describe compare call contact ignore summarise summarize repeat stop try check look go place reserve`);
const FIRST_PERSON = /\b(?:i|i'm|i've|i'd|i'll|my|mine|me|we|we're|we've|our|us)\b/i;
/** Phrases without content. */
const EMPTY_REMARK =
  /^(?:(?:ok(?:ay)?|yes|no|ah|oh)[\s,]+)?(?:i (?:see|understand|agree|know|guess so|think so|don't know|do not know)|my (?:bad|god|apologies)|excuse me|thank(?:s| you)[^,;]*|me (?:too|neither)|let me (?:see|think))[.!]*$/i;
const LEAD_IN =
  /^(?:(?:hi|hello|hey|well|so|ok|okay|yes|no|and|but|also|actually|thanks|thank you|dear|good (?:morning|evening|afternoon|day)|by the way|fyi)(?: there| all| everyone| team)?[\s,!.:;-]+)+/i;
const REMEMBER_THAT =
  /^(?:please )?(?:remember|note|keep in mind|know)(?: that)?,? (?=(?:i|i'm|i've|my|we|our)\b)/i;

/** A sentence without a greeting, a filler or "remember that" at its beginning. */
export function core(sentence: string): string {
  return sentence.replace(LEAD_IN, '').replace(REMEMBER_THAT, '');
}

export function isQuestion(sentence: string): boolean {
  if (/[?？]["')”]?\s*[.!]*$/.test(sentence)) return true;
  const [first = '', second = ''] = words(core(sentence));
  if (first === 'when' || first === 'was' || first === 'were' || first === 'have')
    return AUXILIARIES.has(second) || second === 'you';
  return OPENERS.has(first) && !EXCLAMATION_SECONDS.has(first === 'what' || first === 'how' ? second : '');
}

/** Whether the sentence is a declarative sentence in the first person, with which people speak about themselves. */
export function isSelfStatement(sentence: string): boolean {
  if (isQuestion(sentence) || EMPTY_REMARK.test(sentence.trim())) return false;
  const statement = core(sentence);
  const [first = ''] = words(statement);
  if (first === 'call') return /^call me \p{Lu}/u.test(statement) || /^Call me \p{Lu}/u.test(statement);
  return FIRST_PERSON.test(statement) && !IMPERATIVES.has(first);
}
