/** Finds the table, column, business figure or period that the words at a position of the question name. */
import { type Concept, productsOf } from '../tables/business.ts';
import { type Entity, type Field, isCalled, stemsOf, synonyms } from '../tables/catalog.ts';
import type { Token } from '../tokens.ts';
import type { Noun, Period } from './reading.ts';

export interface Found {
  noun: Noun;
  length: number;
}

const LONGEST_NAME = 4;

const CONCEPTS = new Map<string, Concept>(
  (
    [
      ['revenue', 'revenue'],
      ['turnover', 'revenue'],
      ['income', 'revenue'],
      ['takings', 'revenue'],
      ['sales revenue', 'revenue'],
      ['sales value', 'revenue'],
      ['sales volume', 'units'],
      ['profit', 'profit'],
      ['margin', 'profit'],
      ['units sold', 'units'],
      ['items sold', 'units'],
      ['pieces sold', 'units'],
      ['quantity sold', 'units'],
      ['unit sales', 'units'],
      ['stock', 'stock'],
      ['stock level', 'stock'],
      ['inventory', 'stock'],
    ] as const
  ).map(([words, concept]) => [stemsOf(words).join(' '), concept]),
);

const PERIODS = new Map<string, Period>(
  (['year', 'quarter', 'month', 'week', 'day', 'weekday'] as const).map((period) => [
    stemsOf(period).join(' '),
    period,
  ]),
);

/** The longest name wins. For a single word, tables come before columns, and names before synonyms. */
export function nounAt(tokens: readonly Token[], at: number, entities: readonly Entity[]): Found | undefined {
  for (let length = LONGEST_NAME; length > 0; length--) {
    const part = tokens.slice(at, at + length);
    if (part.length < length) continue;
    const called = length === 1 && part[0]?.quoted ? exactly(part[0].text, entities) : undefined;
    if (called) return { noun: called, length };
    if (part.some(({ quoted, number }) => quoted || number !== undefined)) continue;
    const stems = part.flatMap((token) => token.parts);
    const noun = named(stems, entities);
    const plural = /[^s]s$/.test(part.at(-1)?.word ?? '');
    if (noun) return { noun: { ...noun, plural }, length };
  }
  return undefined;
}

/** Quoted text only names a table or a column if it is equal to the name. */
function exactly(text: string, entities: readonly Entity[]): Noun | undefined {
  const isSame = ({ name }: { name: string }) => name.toLowerCase() === text.toLowerCase();
  const entity = entities.find(isSame);
  if (entity) return { kind: 'entity', entity };
  const fields = entities.flatMap((each) => each.fields).filter(isSame);
  return fields.length > 0 ? { kind: 'field', fields } : undefined;
}

function named(stems: string[], entities: readonly Entity[]): Noun | undefined {
  const name = stems.join(' ');
  const [last = ''] = stems;
  const fields = entities.flatMap((entity) => entity.fields);
  const whole = fields.filter(({ called }) => called === name);
  const concept = CONCEPTS.get(name);
  if (concept && !whole.some(({ role }) => role === 'number')) return { kind: 'concept', concept };
  const entity = entities.find(({ called }) => called === name);
  if (entity) return { kind: 'entity', entity };
  if (whole.length > 0) return { kind: 'field', fields: whole };
  if (stems.length > 1) return undefined;
  return single(last, entities, fields);
}

function single(word: string, entities: readonly Entity[], fields: readonly Field[]): Noun | undefined {
  const period = PERIODS.get(word);
  if (period) return { kind: 'period', period };
  const heads = fields.filter((field) => headOf(field) === word && field.role !== 'key');
  if (heads.length > 0) return { kind: 'field', fields: heads };
  const entity = entities.find(({ stems }) => stems.at(-1) === word) ?? goods(word, entities);
  if (entity) return { kind: 'entity', entity };
  for (const other of synonyms(word)) {
    const meant = entities.find(({ stems }) => stems.at(-1) === other);
    if (meant) return { kind: 'entity', entity: meant };
    const columns = fields.filter((field) => headOf(field) === other && field.role !== 'key');
    if (columns.length > 0) return { kind: 'field', fields: columns };
  }
  return undefined;
}

/** `hired_on` is known as "hired", `list_price` as "price". */
function headOf({ stems }: Field): string | undefined {
  return stems.findLast((each) => !/^(?:on|at|by|in)$/.test(each));
}

const GOODS = { stems: ['bike', 'bicycle', 'product', 'item', 'article'].flatMap(stemsOf) };

/** The products, if the word means them: a shop that sells bikes calls its products "bikes". */
function goods(word: string, entities: readonly Entity[]): Entity | undefined {
  return GOODS.stems.includes(word) ? productsOf(entities) : undefined;
}

export function isProduct(noun: Noun | undefined, entities: readonly Entity[]): boolean {
  return (
    noun?.kind === 'entity' && (noun.entity === productsOf(entities) || isCalled(noun.entity, 'unit', 'item'))
  );
}
