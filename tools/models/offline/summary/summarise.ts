/** The task `summary`: condenses a conversation by keeping sentences of the user, above all those about themselves. */

import { taggedLines } from '../../../text/untrusted-json.ts';
import { statedName } from '../language/names.ts';
import { core, isQuestion, isSelfStatement } from '../language/sentence-kind.ts';
import { clip, sentences } from '../language/text.ts';
import type { ChatRequest } from '../request.ts';
import { asSummaryText, earlierSummary, type Said, saidInSummary, textsIn } from './summary-text.ts';

const LONGEST_SUMMARY = 900;
const LONGEST_SENTENCE = 180;
/** Matches lasting facts: who the person is, what they own, what they like. */
const LASTING =
  /^(?:my [\p{L}' -]{1,40}\b(?:is|are|was)\b|i (?:am|was|live|work|ride|own|have|prefer|like|love|hate|study|speak|was born|weigh)\b|i'm\b|i've (?:got|been)\b|we (?:are|live|own|have|work)\b|(?:please )?call me\b|our [\p{L}' -]{1,40}\b(?:is|are)\b)/iu;

export function summarise(request: ChatRequest): string {
  const { summary, said } = conversation(request);
  const all = withoutRepeats([...saidInSummary(summary).flatMap(inSentences), ...said.map(asSaid)]);
  const ranked = all
    .map((each, at) => ({ each, at, rank: rank(each) }))
    .toSorted((a, b) => a.rank - b.rank || b.at - a.at);

  // Within a rank, newer sentences come first, so that the oldest small talk is dropped first, and the newest name is kept.
  const chosen: typeof ranked = [];
  let length = 0;
  for (const candidate of ranked) {
    const needed = asSummaryText(candidate.each).length + 1;
    if (length + needed > LONGEST_SUMMARY) continue;
    length += needed;
    chosen.push(candidate);
  }
  const text = chosen.toSorted((a, b) => a.at - b.at).map(({ each }) => asSummaryText(each));
  return text.join(' ') || 'The user has not told anything yet.';
}

/** The earlier summary, and the user's sentences. */
function conversation({ data }: ChatRequest): { summary: string; said: string[] } {
  const messages = data.flatMap((block) => taggedLines(block, 'conversation') ?? []);
  const spoken = messages.flatMap((line) => textsIn(/^user (".*")$/.exec(line)?.[1]));
  return { summary: earlierSummary(data), said: spoken.flatMap(sentences) };
}

function inSentences(said: Said): Said[] {
  return said.kind === 'told' ? sentences(said.text).map((text) => ({ ...said, text })) : [said];
}

function asSaid(sentence: string): Said {
  const kind = isQuestion(sentence) ? 'asked' : 'said';
  const text = clip(core(sentence), LONGEST_SENTENCE).replaceAll('"', "'");
  return { kind, text: /[.!?…]$/.test(text) ? text : `${text}${kind === 'asked' ? '?' : '.'}` };
}

/**
 * Keeps the later one of two equal sentences, at its position, so that a name that was corrected and stated again is the
 * newest.
 */
function withoutRepeats(all: Said[]): Said[] {
  const kept = new Map<string, Said>();
  for (const said of all) {
    const key = said.text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ');
    if (key === undefined) continue;
    kept.delete(key);
    kept.set(key, said);
  }
  return [...kept.values()];
}

/**
 * 0: the name; 1: lasting facts, and those of an earlier summary; 2: other statements about the speaker; 3: other facts; 4:
 * everything else; 5: questions.
 */
function rank({ kind, text }: Said): number {
  if (kind === 'asked') return 5;
  if (statedName(text)) return 0;
  if (kind === 'told' || LASTING.test(text)) return 1;
  if (isSelfStatement(text)) return 2;
  return /\d|\s\p{Lu}\p{Ll}/u.test(text) ? 3 : 4;
}
