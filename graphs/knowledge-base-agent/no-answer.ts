/** Detects answers that say that the passages don't contain an answer. */
import { citedIn } from './citation-marks.ts';

/** Words for passages and for negation, in the languages that models answer in. */
const DENIALS = [
  // English: "The passages do not say", "no information in the documents", "I could not find it in the knowledge base".
  /\b(?:passages?|documents?|documentation|sources?|excerpts?|context|texts?|knowledge base|information provided)\b[^.!?]{0,60}(?:\b(?:do|does|did|is|are)(?: not|n['’]t)\b|\bcannot\b|\bcontains? (?:no|nothing)\b|\b(?:has|have|gives?|provides?|offers?|includes?|holds?) (?:no|nothing)\b)/iu,
  /\b(?:no|not|n['’]t|nothing|none|nowhere)\b[^.!?]{0,80}\b(?:passages?|documents?|documentation|sources?|excerpts?|context|knowledge base|information provided)\b/iu,
  /^none of these words is there\b/iu,
  // German
  /\b(?:passagen?|dokumente?n?|unterlagen|textstellen?|auszüge?n?|abschnitte?n?|quellen?|wissensdatenbank|texte?n?)\b[^.!?]{0,120}\b(?:nicht|nichts|keine?[rnms]?)\b/iu,
  /\b(?:nicht|nichts|keine?[rnms]?)\b[^.!?]{0,80}\b(?:passagen?|dokumenten?|unterlagen|textstellen?|auszügen?|abschnitten?|quellen?|wissensdatenbank)\b/iu,
  // French, Spanish, Italian, Portuguese
  /\b(?:passages?|documents?|extraits?|sources?|textes?)\b[^.!?]{0,60}(?:\bne\b|\bn['’]|\baucune?\b)/iu,
  /\b(?:pasajes?|documentos?|fragmentos?|fuentes?|textos?)\b[^.!?]{0,60}\b(?:no|ningun[ao]?|ningún)\b/iu,
  /\b(?:passaggi|passaggio|documenti|documento|brani|fonti|testi)\b[^.!?]{0,60}\b(?:non|nessun[ao]?)\b/iu,
  /\b(?:passagens?|documentos?|trechos?|fontes?|textos?)\b[^.!?]{0,60}\b(?:não|nenhuma?)\b/iu,
];

/** True if the first sentence says so, and no other sentence cites a passage without also saying so. */
export function saysNoAnswer(answer: string): boolean {
  const [first = '', ...others] = answer
    .trim()
    .slice(0, LONGEST)
    .split(/(?<=[.!?。！？](?:\s*\[\d{1,3}\])*)\s+|\n+/u);
  return denies(first) && others.every((sentence) => citedIn(sentence).length === 0 || denies(sentence));
}

// Only the beginning matters: models say in a sentence or two that they found nothing.
const LONGEST = 2_000;

function denies(sentence: string): boolean {
  return DENIALS.some((denial) => denial.test(sentence));
}
