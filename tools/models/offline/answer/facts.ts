/** Answers with the unchanged facts of a prompt. */
import { readFacts } from '../../data-blocks.ts';

const MAX_FACTS = 8;

/** Undefined if no text has a block of facts. */
export function saidOfFacts(texts: readonly string[]): string | undefined {
  const facts = texts.map(readFacts).find((found) => found !== undefined);
  if (!facts) return undefined;
  return facts.length === 0 ? 'There are no facts about this.' : facts.slice(0, MAX_FACTS).join(' ');
}
