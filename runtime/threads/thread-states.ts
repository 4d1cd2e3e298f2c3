/** Reads a thread's states as LangGraph does: at the newest checkpoint, at an older one, or the history. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { wireJson } from '../../graphs/adoption/wire-message.ts';
import type { GraphState } from '../../graphs/authoring/workflow.ts';
import { SkeinError } from '../../state/errors.ts';
import type { StoredThread } from '../../state/threads/archive.ts';
import type { ThreadGraph } from './thread-graph.ts';

/** A checkpoint by the fields of LangGraph's config. */
export interface CheckpointRef {
  checkpoint_id?: string | undefined;
  checkpoint_ns?: string | undefined;
}

export interface HistoryQuery {
  limit: number;
  before?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  checkpoint?: CheckpointRef | undefined;
}

export interface ThreadStates {
  /** Returns undefined for a thread without a turn. Throws CHECKPOINT_NOT_FOUND or INVALID_WORKFLOW_TYPE. */
  at(
    thread: StoredThread,
    checkpoint?: CheckpointRef,
    options?: { subgraphs: boolean },
  ): Promise<GraphState | undefined>;
  /** The values of a checkpoint in the wire format. Throws CHECKPOINT_NOT_FOUND. */
  values(thread: StoredThread, checkpointId: string): Promise<unknown>;
  /** Newest first. */
  history(thread: StoredThread, query: HistoryQuery): Promise<GraphState[]>;
}

/** `graphOf`: see `threadGraphs`. */
export function threadStates(graphOf: ThreadGraph): ThreadStates {
  return {
    async at(thread, { checkpoint_id, checkpoint_ns } = {}, { subgraphs } = { subgraphs: false }) {
      const graph = await graphOf(thread);
      if (!graph) {
        if (checkpoint_id !== undefined) throw new SkeinError('CHECKPOINT_NOT_FOUND');
        return undefined;
      }
      const state = await graph.getState(configOf(thread, { checkpoint_id, checkpoint_ns }), { subgraphs });
      // LangGraph returns an empty state if the checkpoint does not exist.
      if (state.metadata !== undefined) return state;
      if (checkpoint_id !== undefined) throw new SkeinError('CHECKPOINT_NOT_FOUND');
      return undefined;
    },
    async values(thread, checkpoint_id) {
      return wireJson((await this.at(thread, { checkpoint_id }))?.values);
    },
    async history(thread, { limit, before, metadata, checkpoint = {} }) {
      const graph = await graphOf(thread);
      if (!graph) return [];
      const states: GraphState[] = [];
      const query = {
        limit,
        ...(before !== undefined && { before: configOf(thread, { checkpoint_id: before }) }),
        ...(metadata && { filter: metadata }),
      };
      for await (const state of graph.getStateHistory(configOf(thread, checkpoint), query)) {
        states.push(state);
        if (states.length >= limit) break;
      }
      return states;
    },
  };
}

function configOf(
  { key }: StoredThread,
  { checkpoint_id, checkpoint_ns = '' }: CheckpointRef,
): RunnableConfig {
  return {
    configurable: { thread_id: key, checkpoint_ns, ...(checkpoint_id !== undefined && { checkpoint_id }) },
  };
}
