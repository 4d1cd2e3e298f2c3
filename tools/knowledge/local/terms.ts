/** The words of a text that say what it is about, in one form each. */
import { STOP_WORDS, VAGUE_WORDS } from '../../models/offline/stop-words.ts';
import { stem } from '../../models/offline/text.ts';

const WORD = /[\p{L}\p{N}]+/gu;

export function contentTerms(text: string): Set<string> {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const terms = new Set<string>();
  for (const [word] of plain.matchAll(WORD))
    if (!STOP_WORDS.has(word) && !VAGUE_WORDS.has(word)) terms.add(stem(word));
  return terms;
}
