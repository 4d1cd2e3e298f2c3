/** Parses superlatives: "top 5", "the cheapest", "the three most recent", "most reviews". */
import type { Entity } from '../tables/catalog.ts';
import type { Token } from '../tokens.ts';
import { nounAt } from './nouns.ts';
import type { Match, Ranking } from './reading.ts';

const SUPERLATIVES: readonly (readonly [words: string, ranking: Ranking])[] = [
  ['most expensive', { direction: 'desc', by: 'price' }],
  ['least expensive', { direction: 'asc', by: 'price' }],
  ['most recent', { direction: 'desc', by: 'date' }],
  ['most popular', { direction: 'desc', by: 'popularity' }],
  ['least popular', { direction: 'asc', by: 'popularity' }],
  ['best selling', { direction: 'desc', by: 'popularity' }],
  ['worst selling', { direction: 'asc', by: 'popularity' }],
  ['best-selling', { direction: 'desc', by: 'popularity' }],
  ['bestselling', { direction: 'desc', by: 'popularity' }],
  ['cheapest', { direction: 'asc', by: 'price' }],
  ['dearest', { direction: 'desc', by: 'price' }],
  ['priciest', { direction: 'desc', by: 'price' }],
  ['newest', { direction: 'desc', by: 'date' }],
  ['latest', { direction: 'desc', by: 'date' }],
  ['youngest', { direction: 'desc', by: 'date' }],
  ['oldest', { direction: 'asc', by: 'date' }],
  ['earliest', { direction: 'asc', by: 'date' }],
  ['last', { direction: 'desc', by: 'date' }],
  ['first', { direction: 'asc', by: 'date' }],
  ['top', { direction: 'desc' }],
  ['bottom', { direction: 'asc' }],
  ['best', { direction: 'desc' }],
  ['worst', { direction: 'asc' }],
  ['highest', { direction: 'desc' }],
  ['largest', { direction: 'desc' }],
  ['biggest', { direction: 'desc' }],
  ['greatest', { direction: 'desc' }],
  ['strongest', { direction: 'desc' }],
  ['lowest', { direction: 'asc' }],
  ['smallest', { direction: 'asc' }],
  ['weakest', { direction: 'asc' }],
  ['most', { direction: 'desc' }],
  ['fewest', { direction: 'asc' }],
  ['least', { direction: 'asc' }],
];

/** The number may be on either side: "top 5", "5 cheapest". */
export function rankingAt(
  tokens: readonly Token[],
  at: number,
  entities: readonly Entity[],
): Match | undefined {
  const ahead = limitOf(tokens[at]);
  const start = at + (ahead === undefined ? 0 : 1);
  const said = tokens.slice(start, start + 2).map(({ word }) => word);
  const found = SUPERLATIVES.find(([words]) => words === said.join(' ') || words === said[0]);
  if (!found) return undefined;
  const [words, ranking] = found;
  const after = start + words.split(' ').length;
  const behind = limitOf(tokens[after]);
  const limit = ahead ?? behind;
  // "The last reviews" are sorted by date. "First" and "last" are ordinary words if no number or noun follows.
  const isBare = words === 'first' || words === 'last';
  if (isBare && limit === undefined && !nounAt(tokens, after, entities)) return undefined;
  const length = after - at + (ahead === undefined && behind !== undefined ? 1 : 0);
  const counted = /^(?:most|fewest|least)$/.test(words) ? nounAt(tokens, after, entities) : undefined;
  return {
    length: length + (counted?.length ?? 0),
    update: { ranking: { ...ranking, limit, counted: counted?.noun }, ranked: [words] },
  };
}

const MAX_ROWS = 1000;

/** The number of rows that a token asks for; undefined for other tokens. */
export function limitOf(token: Token | undefined): number | undefined {
  const number = token?.number;
  return number !== undefined && Number.isInteger(number) && number > 0 && number <= MAX_ROWS
    ? number
    : undefined;
}
