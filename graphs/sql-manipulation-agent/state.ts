/** The state that the steps of the SQL agent share, and the agent's settings. */

import { Annotation } from '@langchain/langgraph';
import { type Static, Type } from '@sinclair/typebox';
import type { QueryResult } from '../../tools/sql/engine.ts';
import { AgentWork } from '../authoring/agent/agent-graph.ts';

export const SqlOptions = Type.Object({
  require_approval: Type.Boolean({
    default: false,
    description: 'Asks a person before a query is run.',
  }),
  max_rows: Type.Integer({
    default: 200,
    minimum: 1,
    maximum: 10_000,
    description: 'Maximum number of rows in an answer.',
  }),
  query_seconds: Type.Number({
    default: 5,
    exclusiveMinimum: 0,
    maximum: 3_600,
    description: 'Timeout of a query, in seconds.',
  }),
  download_rows: Type.Integer({
    default: 100_000,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Maximum number of rows in a download (`GET /api/v1/runs/{run_id}/rows`).',
  }),
  download_seconds: Type.Number({
    default: 60,
    exclusiveMinimum: 0,
    maximum: 3_600,
    description: 'Timeout of the query of a download, in seconds.',
  }),
});

export type SqlOptions = Static<typeof SqlOptions>;

/** A statement by the model, or by the person who approves. */
export interface Query {
  /** Empty if the schema cannot answer the question. In that case, the explanation says why. */
  sql: string;
  explanation: string;
  tables: string[];
}

/** Why a statement returned no rows. */
export interface Refusal {
  sql: string;
  reason: string;
}

const latest = <T>(initial: T) => Annotation<T>({ reducer: (_: T, next: T) => next, default: () => initial });

export const SqlWork = Annotation.Root({
  ...AgentWork.spec,
  /** The tables as text for the prompts. */
  schema: latest(''),
  query: latest<Query | null>(null),
  /** The checks that the statement passed. */
  checks: latest<string[]>([]),
  /** The error of the previous statement; null without one. */
  refusal: latest<Refusal | null>(null),
  repairs: latest(0),
  approval: latest<'none' | 'given' | 'refused'>('none'),
  rows: latest<QueryResult | null>(null),
});

export type SqlWorkState = typeof SqlWork.State;
