/** Parses the groups of the answer: "per store", "by brand and year", "for each rating", "monthly". */
import type { Entity } from '../tables/catalog.ts';
import { beginsName, type Token } from '../tokens.ts';
import { type Found, nounAt } from './nouns.ts';
import type { Match, Noun, Period } from './reading.ts';

const ADVERBS = new Map<string, Period>(
  Object.entries({
    yearly: 'year',
    annual: 'year',
    annually: 'year',
    quarterly: 'quarter',
    monthly: 'month',
    weekly: 'week',
    daily: 'day',
  } as const),
);

export function groupAt(
  tokens: readonly Token[],
  at: number,
  entities: readonly Entity[],
): Match | undefined {
  const word = tokens[at]?.word ?? '';
  const period = ADVERBS.get(word);
  if (period) return { length: 1, update: { groups: [{ kind: 'period', period }] } };
  if (!/^(?:per|by|each|every|across)$/.test(word)) return undefined;
  const groups: Noun[] = [];
  let end = at + 1;
  for (;;) {
    const skipped = skip(tokens, end, groups.length > 0);
    const found =
      skipped === undefined || beginsName(tokens, skipped) ? undefined : nounAt(tokens, skipped, entities);
    if (skipped === undefined || !found || !isGroup(found.noun, word, tokens.slice(0, at))) break;
    const own = ownField(tokens, skipped + found.length, { noun: found.noun, entities });
    groups.push(own?.noun ?? found.noun);
    end = skipped + found.length + (own?.length ?? 0);
  }
  if (groups.length > 0) return { length: end - at, update: { groups } };
  // "By revenue" is an order, and "sold by Isarrad" names a seller. Other rules parse them.
  return { length: 1, update: {} };
}

/** "Store country": a column of the table named before it. */
function ownField(
  tokens: readonly Token[],
  at: number,
  { noun, entities }: { noun: Noun; entities: readonly Entity[] },
): Found | undefined {
  const next = noun.kind === 'entity' ? nounAt(tokens, at, entities) : undefined;
  if (noun.kind !== 'entity' || next?.noun.kind !== 'field') return undefined;
  const fields = next.noun.fields.filter(({ entity, role }) => entity === noun.entity && role !== 'date');
  return fields.length > 0 ? { length: next.length, noun: { ...next.noun, fields } } : undefined;
}

/** Skips "the" and "each", and "and" if a group precedes it. */
function skip(tokens: readonly Token[], at: number, isListed: boolean): number | undefined {
  const isAnd = tokens[at]?.word === 'and';
  if (isListed && !isAnd) return undefined;
  let next = at + (isListed ? 1 : 0);
  while (/^(?:the|each|every|all|of|our|per|by|different)$/.test(tokens[next]?.word ?? '')) next++;
  return next;
}

/** A number is a group in "for each rating", and an order in "top products by rating". */
function isGroup(noun: Noun, marker: string, before: readonly Token[]): boolean {
  if (noun.kind === 'concept') return false;
  if (noun.kind !== 'field' || noun.fields.every(({ role }) => role !== 'number')) return true;
  return (
    marker !== 'by' ||
    !before.some(({ word }) => /^(?:top|best|worst|bottom|rank|sort|order|sorted|ordered)/.test(word))
  );
}
