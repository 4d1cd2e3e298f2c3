/**
 * Finds values of text columns in a question: values in the schema's samples, and words that must be values because of their
 * position in the sentence.
 */
import type { Entity, Field } from '../tables/catalog.ts';
import { beginsName, type Token, tokens as tokensOf } from '../tokens.ts';
import { nounAt } from './nouns.ts';
import type { Match, Named, Noun } from './reading.ts';

const LONGEST_VALUE = 6;
/** Longer texts in a column are prose, which questions don't contain. */
const LONGEST_NAME = 60;
const PLACES = /^(?:city|town|country|region|state|province|district|location|place|address|area)$/;
export const isPlace = ({ name }: Field): boolean => PLACES.test(name);
const NEGATIONS = new Set(['not', 'except', 'excluding', 'without', 'outside', 'besides']);
const BETWEEN = new Set('in the a an of for from at by made sold with'.split(' '));

/** The longest value at this position that is in the schema's samples. */
export function valueAt(
  tokens: readonly Token[],
  at: number,
  entities: readonly Entity[],
): Match | undefined {
  const fields = textFields(entities);
  for (let length = LONGEST_VALUE; length > 0; length--) {
    const part = tokens.slice(at, at + length);
    if (part.length < length) continue;
    const key = part
      .flatMap(({ quoted, text, stem }) => (quoted ? tokensOf(text).map((each) => each.stem) : stem))
      .join(' ');
    const holding = fields.filter(({ values }) => values.has(key));
    if (holding.length === 0 || (length === 1 && isRatherNoun(tokens, at, entities))) continue;
    const value = holding[0]?.values.get(key) ?? '';
    return match(tokens, at, { length, named: { fields: holding, value, known: true } });
  }
  return undefined;
}

/** Whether the word negates the value after it, as in "not in Germany" or "except Berlin". */
export function negates(tokens: readonly Token[], at: number, entities: readonly Entity[]): boolean {
  const next = tokens.findIndex(({ word }, index) => index > at && !BETWEEN.has(word));
  const isValue = valueAt(tokens, next, entities) !== undefined || tokens[next]?.capital === true;
  return NEGATIONS.has(tokens[at]?.word ?? '') && isValue;
}

/** Whether the word is a noun rather than a value: "city bikes" are bikes of a category, but "the city" is a column. */
function isRatherNoun(tokens: readonly Token[], at: number, entities: readonly Entity[]): boolean {
  if (tokens[at]?.quoted || tokens[at]?.capital || !nounAt(tokens, at, entities)) return false;
  return nounAt(tokens, at + 1, entities)?.noun.kind !== 'entity';
}

/** A name of several words. Comes before the rules that read its words as tables and columns. */
export function properNameAt(
  tokens: readonly Token[],
  at: number,
  entities: readonly Entity[],
): Match | undefined {
  return beginsName(tokens, at) ? guessAt(tokens, at, entities) : undefined;
}

/** Quoted words, capitalized words, words after "in", and words that describe a thing: "in Oslo", "red bikes". */
export function guessAt(
  tokens: readonly Token[],
  at: number,
  entities: readonly Entity[],
): Match | undefined {
  const token = tokens[at];
  if (!token) return undefined;
  const fields = textFields(entities);
  if (token.quoted) return guess(tokens, at, { length: 1, fields });
  if (token.capital) {
    const end = tokens.findIndex(
      (each, index) => index > at && (each.listed || (!each.capital && each.number === undefined)),
    );
    const length = (end < 0 ? tokens.length : end) - at;
    return guess(tokens, at, {
      length: Math.min(length, LONGEST_VALUE),
      fields: atPlace(tokens, at, fields),
    });
  }
  if (/^(?:in|near|at)$/.test(tokens[at - 1]?.word ?? '')) {
    return guess(tokens, at, { length: 1, fields: fields.filter(({ name }) => PLACES.test(name)) });
  }
  // "Tallest" is not a store's name but a superlative that no rule supports.
  if (/^[a-z]{2,}est$/.test(token.word)) return undefined;
  const next = nounAt(tokens, at + 1, entities)?.noun ?? headOf(token, entities);
  if (next?.kind !== 'entity') return undefined;
  return guess(tokens, at, { length: 1, fields: fields.filter(({ entity }) => entity === next.entity) });
}

/** After "in", only columns of places are possible: "in Paris" is never a brand. */
function atPlace(tokens: readonly Token[], at: number, fields: Field[]): Field[] {
  if (!/^(?:in|near|outside)$/.test(tokens[at - 1]?.word ?? '')) return fields;
  const placed = fields.filter(({ entity }) => entity.fields.some(({ name }) => PLACES.test(name)));
  return placed.length > 0 ? placed : fields;
}

/** The noun at the end of a compound: "e-bikes" are a kind of bikes. */
function headOf({ word, parts }: Token, entities: readonly Entity[]): Noun | undefined {
  return parts.length > 1 ? nounAt(tokensOf(word.split('-').at(-1) ?? ''), 0, entities)?.noun : undefined;
}

function guess(
  tokens: readonly Token[],
  at: number,
  { length, fields }: { length: number; fields: Field[] },
): Match | undefined {
  if (fields.length === 0) return undefined;
  const value = tokens
    .slice(at, at + length)
    .map(({ text }) => text)
    .join(' ');
  return match(tokens, at, { length, named: { fields, value, known: false } });
}

function match(
  tokens: readonly Token[],
  at: number,
  { length, named }: { length: number; named: Named },
): Match {
  const before = tokens.slice(0, at).findLast(({ word }) => !BETWEEN.has(word));
  const negated = NEGATIONS.has(before?.word ?? '');
  const said = tokens[at - 1]?.word;
  const isNext = said === 'and' || tokens[at]?.listed;
  const also = said === 'or' ? 'or' : isNext ? 'and' : undefined;
  return {
    length,
    update: { named: [{ ...named, ...(negated ? { negated } : {}), ...(also ? { also } : {}) }] },
  };
}

function textFields(entities: readonly Entity[]): Field[] {
  return entities.flatMap(({ fields }) =>
    fields.filter(({ role, longest }) => role === 'text' && longest <= LONGEST_NAME),
  );
}
