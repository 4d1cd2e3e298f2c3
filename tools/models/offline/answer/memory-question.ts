/** Decides whether a sentence asks about the speaker: something that only they can have said. */

import { asksForName } from '../language/names.ts';
import { isQuestion } from '../language/sentence-kind.ts';

const EXPLICIT =
  /\b(?:remember|recall|remind me|(?:did|have) i (?:\w+ )?(?:say|said|tell|told|mention|mentioned)|i (?:just |have |already )*(?:said|told|mentioned)|know about me|told you about)\b/i;
const PERSONAL =
  /^(?:and |so |then )?(?:what|what's|whats|which|who|who's|whose|where|where's|when|when's|how (?:old|tall|many|much|far|often|big|heavy|long))\b.*\b(?:i|my|me|mine|our|we)\b/i;
const YES_OR_NO = /^(?:and |so |then )?(?:(?:do|did|am|was|have) (?:i|we)|(?:is|are|was|were) (?:my|our))\b/i;
const ASKED_AS_REQUEST = /^(?:please )?(?:remind me|tell me (?:what|which|who|where|my))\b/i;
/** "When will my order arrive?", "What do I need?": these ask for something that was not said before. */
const NOT_YET_SAID =
  /\b(?:can|could|should|must|may|might|would|will|shall|allowed|supposed)\b|\b(?:do|did) (?:i|we) (?:need|do(?! for)|get|find|have to|make|pay|start|use|return|order|go)\b/i;

export function isMemoryQuestion(sentence: string): boolean {
  if (!isQuestion(sentence) && !ASKED_AS_REQUEST.test(sentence)) return false;
  if (asksForName(sentence) || isExplicit(sentence)) return true;
  const question = sentence.replace(/^(?:please )?tell me /i, '').replace(/^my\b/i, 'what is my');
  return (PERSONAL.test(question) || isYesOrNo(question)) && !NOT_YET_SAID.test(question);
}

/** Whether the question explicitly asks for what was said. If so, "you didn't say that" is a valid answer. */
export function isExplicit(question: string): boolean {
  return EXPLICIT.test(question);
}

export function isYesOrNo(question: string): boolean {
  return YES_OR_NO.test(question);
}
