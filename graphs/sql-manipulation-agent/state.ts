/** What the steps of the SQL agent share, and the agent's settings. */

import { Annotation } from '@langchain/langgraph';
import { type Static, Type } from '@sinclair/typebox';
import type { QueryResult } from '../../tools/sql/engine.ts';
import { AgentWork } from '../authoring/agent-graph.ts';

export const SqlOptions = Type.Object({
  require_approval: Type.Boolean({
    default: false,
    description: 'Asks a person before a query is run.',
  }),
  max_rows: Type.Integer({
    default: 200,
    minimum: 1,
    maximum: 10_000,
    description: 'Rows of an answer; there may be more.',
  }),
  query_seconds: Type.Number({
    default: 5,
    exclusiveMinimum: 0,
    maximum: 3_600,
    description: 'Seconds that a query may take.',
  }),
  download_rows: Type.Integer({
    default: 100_000,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Rows of a download of a result (`GET /runs/{run_id}/rows`).',
  }),
  download_seconds: Type.Number({
    default: 60,
    exclusiveMinimum: 0,
    maximum: 3_600,
    description: 'Seconds that the query of a download may take.',
  }),
});

export type SqlOptions = Static<typeof SqlOptions>;

/** A statement that somebody wrote: the model, or the person who approves. */
export interface Query {
  /** Empty where the schema cannot answer the question; then the explanation says why. */
  sql: string;
  explanation: string;
  tables: string[];
}

/** Why a statement gave no rows. */
export interface Refusal {
  sql: string;
  reason: string;
}

const latest = <T>(initial: T) => Annotation<T>({ reducer: (_: T, next: T) => next, default: () => initial });

export const SqlWork = Annotation.Root({
  ...AgentWork.spec,
  /** The tables as the prompts have them. */
  schema: latest(''),
  query: latest<Query | null>(null),
  /** What the statement passed. */
  checks: latest<string[]>([]),
  /** What was wrong with the statement before; null where it was good, or there is none yet. */
  refusal: latest<Refusal | null>(null),
  repairs: latest(0),
  approval: latest<'none' | 'given' | 'refused'>('none'),
  rows: latest<QueryResult | null>(null),
});

export type SqlWorkState = typeof SqlWork.State;
