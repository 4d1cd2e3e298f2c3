/** The parsed form of a question, before the tables for the answer are chosen. */
import type { Concept } from '../tables/business.ts';
import type { Entity, Field } from '../tables/catalog.ts';

export type Period = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'weekday';
export type Aggregate = 'sum' | 'avg' | 'min' | 'max' | 'count' | 'median';

export type Noun = (
  | { kind: 'entity'; entity: Entity }
  /** Several columns, because different tables may have columns with the same name. */
  | { kind: 'field'; fields: Field[] }
  | { kind: 'concept'; concept: Concept }
  | { kind: 'period'; period: Period }
) & { plural?: boolean };

/** ISO dates: `from` is inclusive and `before` is exclusive. Either may be missing. */
export interface Span {
  from?: string;
  before?: string;
}

export interface Comparison {
  operator: '>' | '<' | '>=' | '<=' | '=' | '<>' | 'between';
  low: number;
  high: number;
  /** The compared column or figure, if the words beside the number name it. */
  noun?: Noun | undefined;
}

export interface Named {
  /** The columns that may contain the value. */
  fields: Field[];
  value: string;
  /** True if the value is in the schema's samples. Otherwise, it is a guess from its position in the sentence. */
  known: boolean;
  negated?: boolean;
  /** Set after "and" or "or": the value may belong to the same column as the previous one. */
  also?: 'and' | 'or';
}

export interface Ranking {
  direction: 'asc' | 'desc';
  limit?: number | undefined;
  /** The order that words such as "cheapest" and "latest" imply. */
  by?: 'price' | 'date' | 'popularity' | undefined;
  /** What is counted in "the most reviews". */
  counted?: Noun | undefined;
}

export interface Reading {
  /** The question contains "how many" or "number of". */
  counts?: boolean;
  /** The question contains "how much". */
  amounts?: boolean;
  /** X in "which X" or "top 5 X": what the rows are. */
  asked?: Noun;
  /** The number in "which three X". */
  wanted?: number;
  sold?: boolean;
  /** The question contains "sorted by". */
  sorted?: boolean;
  /** The question contains "which" or "list", so it asks for rows rather than a figure. */
  lists?: boolean;
  distinct?: boolean;
  /** The question compares two times. */
  compares?: boolean;
  aggregates: Aggregate[];
  groups: Noun[];
  nouns: Noun[];
  ranking?: Ranking;
  /** All superlatives. A statement can only have one order. */
  ranked: string[];
  spans: Span[];
  /** Months without a year, from 1 to 12. */
  months: number[];
  named: Named[];
  comparisons: Comparison[];
  /** Why the question cannot be answered, if no single word is the reason. */
  problem?: string;
  /** Meaningful words that no rule matches. */
  unknown: string[];
}

/** The result of a rule, and the number of words that it consumed. */
export interface Match<T = Partial<Reading>> {
  length: number;
  update: T;
}

export const NOTHING: Reading = {
  aggregates: [],
  groups: [],
  nouns: [],
  ranked: [],
  spans: [],
  months: [],
  named: [],
  comparisons: [],
  unknown: [],
};

/** Appends to lists. All other fields keep their first value. */
export function joined(first: Reading, second: Partial<Reading>): Reading {
  const lists = Object.entries(NOTHING).map(([name, none]) => {
    const key = name as keyof Reading;
    return [name, [...((first[key] as unknown[]) ?? none), ...((second[key] as unknown[]) ?? [])]];
  });
  return { ...second, ...first, ...Object.fromEntries(lists) };
}
