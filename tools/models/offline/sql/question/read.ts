/** Parses a question from left to right. At each position, the first matching rule consumes the words. */
import { STOP_WORDS, VAGUE_WORDS } from '../../language/stop-words.ts';
import type { Entity } from '../tables/catalog.ts';
import { type Token, tokens } from '../tokens.ts';
import { beyondAt } from './beyond.ts';
import { comparisonAt } from './comparisons.ts';
import { groupAt } from './groups.ts';
import { nounAt } from './nouns.ts';
import { limitOf, rankingAt } from './rankings.ts';
import { type Aggregate, joined, type Match, NOTHING, type Reading } from './reading.ts';
import { timeAt } from './times.ts';
import { guessAt, negates, properNameAt, valueAt } from './values.ts';

type Rule = (tokens: readonly Token[], at: number, entities: readonly Entity[]) => Match | undefined;

const RULES: readonly Rule[] = [
  beyondAt,
  comparisonAt,
  timeAt,
  groupAt,
  askedAt,
  rankingAt,
  valueAt,
  properNameAt,
  askAt,
  mentionAt,
  fillerAt,
  guessAt,
];

export function read(question: string, entities: readonly Entity[]): Reading {
  const all = tokens(question);
  let reading = NOTHING;
  for (let at = 0; at < all.length; ) {
    const match = RULES.map((rule) => rule(all, at, entities)).find((found) => found !== undefined);
    reading = joined(reading, match?.update ?? { unknown: [all[at]?.text ?? ''] });
    at += match?.length ?? 1;
  }
  return reading;
}

/** "which stores", "which three stores", "which of our stores": the kind and number of the answer's rows. */
function askedAt(all: readonly Token[], at: number, entities: readonly Entity[]): Match | undefined {
  if (!/^(?:which|what)$/.test(all[at]?.word ?? '')) return undefined;
  const skipped = all.slice(at + 1).findIndex(({ word }) => !/^(?:of|our|the|your|their|all)$/.test(word));
  const first = at + 1 + Math.max(0, skipped);
  const wanted = limitOf(all[first]);
  const start = wanted === undefined ? first : first + 1;
  // "Which city bikes" asks for bikes.
  if (valueAt(all, start, entities)) return undefined;
  // "Which items sold best" asks for items, not for the number of items sold.
  const longest = nounAt(all, start, entities);
  const found = longest?.noun.kind === 'concept' ? nounAt(all.slice(0, start + 1), start, entities) : longest;
  if (!found || found.noun.kind === 'concept') return undefined;
  const { noun } = found;
  return {
    length: start - at + found.length,
    update: { asked: noun, nouns: [noun], ...(wanted === undefined ? {} : { wanted }) },
  };
}

const AGGREGATES = new Map<string, Aggregate>(
  Object.entries({
    average: 'avg',
    mean: 'avg',
    avg: 'avg',
    median: 'median',
    total: 'sum',
    sum: 'sum',
    minimum: 'min',
    min: 'min',
    maximum: 'max',
    max: 'max',
  } as const),
);

/** "how many", "number of", "average", "different", "sold". */
function askAt(all: readonly Token[], at: number): Match | undefined {
  const said = all.slice(at, at + 3).map((token) => token.word);
  const [word = '', next = ''] = said;
  if (`${word} ${next}` === 'how many' || (word === 'number' && next === 'of'))
    return { length: 2, update: { counts: true } };
  if (/^(?:out of stock|sold out)$/.test(said.slice(0, word === 'sold' ? 2 : 3).join(' '))) {
    const none = { operator: '=', low: 0, high: 0, noun: { kind: 'concept', concept: 'stock' } } as const;
    return { length: word === 'sold' ? 2 : 3, update: { comparisons: [none] } };
  }
  if (word === 'which' || (word === 'list' && at === 0)) return { length: 1, update: { lists: true } };
  if (/^(?:compare|compared|versus|vs)$/.test(word)) return { length: 1, update: { compares: true } };
  if (`${word} ${next}` === 'how much') return { length: 2, update: { amounts: true } };
  if (word === 'count') return { length: 1, update: { counts: true } };
  if (/^(?:different|distinct|unique)$/.test(word)) return { length: 1, update: { distinct: true } };
  if (/^(?:sold|sell|sells|selling|bought|purchased|ordered)$/.test(word))
    return { length: 1, update: { sold: true } };
  const aggregate = AGGREGATES.get(word);
  return aggregate && { length: 1, update: { aggregates: [aggregate] } };
}

function mentionAt(all: readonly Token[], at: number, entities: readonly Entity[]): Match | undefined {
  const found = isCommand(all, at) ? undefined : nounAt(all, at, entities);
  return found && { length: found.length, update: { nouns: [found.noun] } };
}

/** Whether the word is a command or "named": in "list all stores", "list" is not a noun. */
function isCommand(all: readonly Token[], at: number): boolean {
  return (
    /^(?:named|called)$/.test(all[at]?.word ?? '') ||
    (at === 0 && /^(?:list|show|give|name|count|order|sort|rank)$/.test(all[at]?.word ?? ''))
  );
}

const FILLERS = new Set(
  `list show display print tell name names rank sort sorted ordered euro euros eur dollar dollars pounds
  much many total overall altogether currently present now only same instead please number figure figures
  data database table row rows record records result results entry entries made written wrote carry carries
  located based situated exist exists generate generated achieve achieved bring brought realised
  company business whole entire complete full single respectively according year's everything
  unit units copies times ones stores' us what's been who`
    .trim()
    .split(/\s+/),
);

/** Small words that change the meaning of a question, so they must not be ignored. */
const OPERATORS = new Set(
  'not no never none neither without except excluding outside besides below above under before after than between until since'.split(
    ' ',
  ),
);

function fillerAt(all: readonly Token[], at: number, entities: readonly Entity[]): Match | undefined {
  const token = all[at];
  if (!token || token.quoted) return undefined;
  const { word, capital } = token;
  if (OPERATORS.has(word))
    return { length: 1, update: negates(all, at, entities) ? {} : { unknown: [token.text] } };
  if (/^(?:sorted|ordered|ranked)$/.test(word) && all[at + 1]?.word === 'by')
    return { length: 1, update: { sorted: true } };
  const isFiller =
    /^(?:named|called)$/.test(word) ||
    FILLERS.has(word) ||
    STOP_WORDS.has(word) ||
    (!capital && VAGUE_WORDS.has(word));
  return isFiller ? { length: 1, update: {} } : undefined;
}
