/** The task `condense`: combines a follow-up with the previous question into one search query. */

import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { clip, contentWords, words } from '../language/text.ts';
import type { ChatRequest } from '../request.ts';

const CondenseSchema = Type.Object({
  properties: Type.Object({ question: Type.Unknown(), words: Type.Unknown() }),
});

const LONGEST_QUESTION = 300;
/** A message with fewer meaningful words may depend on the previous one. */
const ENOUGH_WORDS = 2;

const LEANS =
  /^(?:and|or|but|also|then|so|what about|how about|what if|why|really|are you sure)\b|\b(?:it|its|that|this|those|these|they|them|their|there|he|she|one|ones|same|else|instead)\b/i;

/** `{"question", "words": []}`; undefined for another schema. The rules add no words, because they don't know the documents. */
export function condense(request: ChatRequest): string | undefined {
  if (!Value.Check(CondenseSchema, request.schema)) return undefined;
  const said = request.messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  const last = said.pop() ?? '';
  const before = said.findLast((text) => !leans(text));
  const parts = before !== undefined && leans(last) ? [before, last] : [last];
  const question = parts.map((text) => clip(text, LONGEST_QUESTION)).join(' ');
  return JSON.stringify({ question, words: [] });
}

function leans(message: string): boolean {
  if (contentWords(message).length < ENOUGH_WORDS) return true;
  // A long message usually contains what it refers to.
  return words(message).length <= 12 && LEANS.test(message.trim());
}
