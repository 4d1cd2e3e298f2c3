/** The parsed form of a question, before the tables for the answer are chosen. */
import type { Concept } from './business.ts';
import type { Entity, Field } from './catalog.ts';

export type Period = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'weekday';
export type Aggregate = 'sum' | 'avg' | 'min' | 'max' | 'count' | 'median';

export type Noun = (
  | { kind: 'entity'; entity: Entity }
  /** Columns of different tables may have one name. */
  | { kind: 'field'; fields: Field[] }
  | { kind: 'concept'; concept: Concept }
  | { kind: 'period'; period: Period }
) & { plural?: boolean };

/** ISO dates, the second one exclusive; either may be open. */
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
  /** The columns that may hold it. */
  fields: Field[];
  value: string;
  /** True if it is in the schema's samples; otherwise it is a guess from its position in the sentence. */
  known: boolean;
  negated?: boolean;
  /** Said after "and" or "or": perhaps another value of the column of the one before. */
  also?: 'and' | 'or';
}

export interface Ranking {
  direction: 'asc' | 'desc';
  limit?: number | undefined;
  /** For "cheapest" and "latest", which imply the column. */
  by?: 'price' | 'date' | 'popularity' | undefined;
  /** "the most reviews": what there are most of. */
  counted?: Noun | undefined;
}

export interface Reading {
  /** "how many", "number of". */
  counts?: boolean;
  /** "how much". */
  amounts?: boolean;
  /** "which X", "top 5 X": what the rows are. */
  asked?: Noun;
  /** "which three X": how many of them. */
  wanted?: number;
  sold?: boolean;
  /** "sorted by": rows in an order. */
  sorted?: boolean;
  /** "which", "list": rows rather than a figure. */
  lists?: boolean;
  distinct?: boolean;
  /** Two times beside each other. */
  compares?: boolean;
  aggregates: Aggregate[];
  groups: Noun[];
  nouns: Noun[];
  ranking?: Ranking;
  /** All superlatives: a statement has one order. */
  ranked: string[];
  spans: Span[];
  /** A month without a year, 1 to 12. */
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

/** Adds to lists; for all other fields, the first value stays. */
export function joined(first: Reading, second: Partial<Reading>): Reading {
  const lists = Object.entries(NOTHING).map(([name, none]) => {
    const key = name as keyof Reading;
    return [name, [...((first[key] as unknown[]) ?? none), ...((second[key] as unknown[]) ?? [])]];
  });
  return { ...second, ...first, ...Object.fromEntries(lists) };
}
