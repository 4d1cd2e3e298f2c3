/** The state that the steps of the knowledge base's agent share, and the agent's settings. */

import { Annotation } from '@langchain/langgraph';
import { type Static, Type } from '@sinclair/typebox';
import type { Passage } from '../../tools/knowledge/library.ts';
import { AgentWork } from '../authoring/agent/agent-graph.ts';

export const KnowledgeOptions = Type.Object({
  top_k: Type.Integer({
    default: 6,
    minimum: 1,
    maximum: 20,
    description: 'Maximum number of passages for an answer.',
  }),
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Minimum cosine similarity of a match; unset: depends on the embedding model.',
    }),
  ),
  rerank: Type.Optional(
    Type.Boolean({
      description:
        'The model ranks the 20 best passages before it answers from the first ones. This takes one more call.',
    }),
  ),
});

export type KnowledgeOptions = Static<typeof KnowledgeOptions>;

const latest = <T>(initial: T) => Annotation<T>({ reducer: (_: T, next: T) => next, default: () => initial });

export const KnowledgeWork = Annotation.Root({
  ...AgentWork.spec,
  /** The question in standalone form; empty until it is known or has been searched for. */
  question: latest(''),
  /** Additional words that a document with the answer might use. */
  words: latest<string[]>([]),
  /** Whether the model has been asked for the question and for other words. */
  condensed: latest(false),
  /** The results, in the order of their numbers, which count from 1. */
  passages: latest<Passage[]>([]),
  /** The answer before its citations were checked. */
  draft: latest(''),
});

export type KnowledgeWorkState = typeof KnowledgeWork.State;
