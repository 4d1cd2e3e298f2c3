/** Parses comparisons with numbers: "more than 500 bikes", "list price above 5000 euros", "a rating of 1". */
import { type Entity, isCalled } from '../tables/catalog.ts';
import type { Token } from '../tokens.ts';
import { nounAt } from './nouns.ts';
import type { Comparison, Match, Noun } from './reading.ts';

type Operator = Comparison['operator'];

const OPERATORS: readonly (readonly [words: string, operator: Operator])[] = [
  ['no more than', '<='],
  ['no less than', '>='],
  ['not more than', '<='],
  ['more expensive than', '>'],
  ['less expensive than', '<'],
  ['cheaper than', '<'],
  ['more than', '>'],
  ['greater than', '>'],
  ['higher than', '>'],
  ['larger than', '>'],
  ['better than', '>'],
  ['less than', '<'],
  ['fewer than', '<'],
  ['lower than', '<'],
  ['smaller than', '<'],
  ['worse than', '<'],
  ['at least', '>='],
  ['at most', '<='],
  ['up to', '<='],
  ['equal to', '='],
  ['over', '>'],
  ['above', '>'],
  ['exceeding', '>'],
  ['under', '<'],
  ['below', '<'],
  ['exactly', '='],
  ['between', 'between'],
];

const MONEY = /^(?:euros?|eur|dollars?|usd|pounds?|gbp|francs?|chf)$/;
const LINKS = new Set(
  'a an the of is are was were with has have having that than which cost costs costing to'.split(' '),
);
const COST_VERB = /^cost(?:s|ing)?$/;

export function comparisonAt(
  tokens: readonly Token[],
  at: number,
  entities: readonly Entity[],
): Match | undefined {
  const isCost = COST_VERB.test(tokens[at]?.word ?? '');
  if (isCost && tokens.slice(0, at).some(({ word }) => /^(?:do|does|did)$/.test(word)))
    return whatItCosts(entities);
  const start = at + (isCost ? 1 : 0);
  const words = (count: number) =>
    tokens
      .slice(start, start + count)
      .map(({ word }) => word)
      .join(' ');
  const [said, operator] = OPERATORS.find(([each]) => each === words(each.split(' ').length)) ?? [];
  if (said === undefined || operator === undefined) return isCost ? undefined : equalAt(tokens, at, entities);
  const number = start + said.split(' ').length;
  const low = numberAt(tokens, number);
  if (!low) return undefined;
  const isPrice = isCost || /cheaper|expensive/.test(said);
  if (operator === 'between')
    return betweenAt(tokens, { at, low, end: number + low.length, isPrice, entities });
  const end = number + low.length;
  return finished(tokens, { at, end, isPrice, entities }, { operator, low: low.value, high: low.value });
}

interface Span {
  at: number;
  end: number;
  isPrice: boolean;
  entities: readonly Entity[];
}

function betweenAt(tokens: readonly Token[], { low, ...span }: Span & { low: Amount }): Match | undefined {
  const high = tokens[span.end]?.word === 'and' ? numberAt(tokens, span.end + 1) : undefined;
  if (!high) return undefined;
  const isYears = [low, high].every(({ value, isMoney }) => !isMoney && value >= 1900 && value < 2100);
  if (isYears && !span.isPrice) return undefined;
  const end = span.end + 1 + high.length;
  return finished(tokens, { ...span, end }, { operator: 'between', low: low.value, high: high.value });
}

function finished(
  tokens: readonly Token[],
  { at, end, isPrice, entities }: Span,
  comparison: Comparison,
): Match {
  const isMoney = isPrice || tokens.slice(at, end).some(({ word }) => MONEY.test(word));
  const after = nounAt(tokens, end, entities);
  const before = isMoney || !after ? nounBefore(tokens, at, entities) : undefined;
  const money: Noun | undefined = isMoney ? price(entities) : undefined;
  const noun = before ?? money ?? after?.noun;
  return {
    length: end - at + (noun === after?.noun && after ? after.length : 0),
    update: { comparisons: [{ ...comparison, noun }] },
  };
}

/** "rating of 1", "rating 5", "5 stars": only for a column with numbers. */
function equalAt(tokens: readonly Token[], at: number, entities: readonly Entity[]): Match | undefined {
  const number = tokens[at]?.number;
  if (number === undefined) return undefined;
  const after = nounAt(tokens, at + 1, entities);
  const isStars = after !== undefined && isScale(after.noun);
  const noun = isStars ? after.noun : nounBefore(tokens, at, entities);
  if (!noun || (!isStars && !isScale(noun))) return undefined;
  const end = at + 1 + (isStars ? after.length : 0);
  const tail = tokens
    .slice(end, end + 2)
    .map(({ word }) => word)
    .join(' ');
  const more = /^(?:or|and) (?:more|higher|above|better|up)$/.test(tail);
  const less = /^(?:or|and) (?:less|fewer|lower|below|worse)$/.test(tail);
  const operator = more ? '>=' : less ? '<=' : '=';
  return {
    length: end - at + (more || less ? 2 : 0),
    update: { comparisons: [{ operator, low: number, high: number, noun }] },
  };
}

function isScale(noun: Noun): boolean {
  return noun.kind === 'field' && noun.fields.some(({ role }) => role === 'number');
}

/** The name of a figure that ends immediately before this position. */
function nounBefore(tokens: readonly Token[], at: number, entities: readonly Entity[]): Noun | undefined {
  const last = tokens.slice(0, at).findLastIndex(({ word }) => !LINKS.has(word));
  for (let start = Math.max(0, last - 2); start <= last; start++) {
    const found = nounAt(tokens, start, entities);
    if (
      found &&
      start + found.length === last + 1 &&
      found.noun.kind !== 'entity' &&
      found.noun.kind !== 'period'
    )
      return found.noun;
  }
  return undefined;
}

interface Amount {
  value: number;
  isMoney: boolean;
  length: number;
}

function numberAt(tokens: readonly Token[], at: number): Amount | undefined {
  const sign = MONEY.test(tokens[at]?.word ?? '') ? 1 : 0;
  const value = tokens[at + sign]?.number;
  if (value === undefined) return undefined;
  const unit = MONEY.test(tokens[at + sign + 1]?.word ?? '') ? 1 : 0;
  return { value, isMoney: sign + unit > 0, length: sign + 1 + unit };
}

/** "How much does it cost" asks for the price, if there is a column for it in addition to the cost. */
function whatItCosts(entities: readonly Entity[]): Match | undefined {
  const noun = price(entities);
  return noun && { length: 1, update: { nouns: [noun] } };
}

function price(entities: readonly Entity[]): Noun | undefined {
  const numbers = entities.flatMap(({ fields }) => fields.filter(({ role }) => role === 'number'));
  const prices = numbers.filter((field) => isCalled(field, 'price'));
  const fields =
    prices.length > 0 ? prices : numbers.filter((field) => isCalled(field, 'cost', 'amount', 'salary'));
  return fields.length > 0 ? { kind: 'field', fields } : undefined;
}
