/** Changes a thread's state outside of runs, as LangGraph does: each change writes a checkpoint. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { withPersistence } from '../../graphs/authoring/persistence/lend-persistence.ts';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import { SkeinError } from '../../state/errors.ts';
import type { StoredThread } from '../../state/threads/archive.ts';
import type { RunCommand } from '../../state/threads/runs.ts';
import type { Threads } from '../../state/threads/threads.ts';
import { graphCommand } from '../run/execution/graph-command.ts';
import type { Registry } from '../workflows/registry.ts';
import type { ThreadGraph } from './thread-graph.ts';
import type { CheckpointRef } from './thread-states.ts';

export interface StateUpdateParts {
  threads: Pick<Threads, 'moveHead'>;
  checkpointer: BaseCheckpointSaver;
  registry: Registry;
  graphOf: ThreadGraph;
  /** Called after each change. */
  changed(threadKey: string): void;
}

interface StateUpdate {
  values: unknown;
  /** Default: the node that wrote last. */
  asNode?: string | undefined;
  checkpoint?: (CheckpointRef & { checkpoint_map?: Record<string, string> | undefined }) | undefined;
}

/** One of the changes of a step: values as if a node had returned them, or a command. */
interface StepUpdate {
  values?: unknown;
  command?: RunCommand | undefined;
  asNode?: string | undefined;
}

export interface StateUpdates {
  /**
   * Returns the config of the new checkpoint. Throws THREAD_BUSY if a run is unfinished, CHECKPOINT_NOT_FOUND, and
   * INVALID_REQUEST if the graph rejects the values or the thread has no graph.
   */
  update(thread: StoredThread, update: StateUpdate): Promise<RunnableConfig>;
  /** Writes the steps in order to a new thread of the workflow. Throws INVALID_REQUEST. */
  replay(thread: StoredThread, workflow: string, steps: StepUpdate[][]): Promise<void>;
}

export function stateUpdates(parts: StateUpdateParts): StateUpdates {
  const { threads, checkpointer, registry, graphOf, changed } = parts;

  async function moveHead(
    thread: StoredThread,
    graph: CompiledGraph,
    { config, workflow }: { config: RunnableConfig; workflow: string },
  ): Promise<void> {
    const { configurable } = config;
    const isRoot = !configurable?.checkpoint_ns;
    const { next } = isRoot ? await graph.getState(config) : { next: [] };
    const stoppedAt = next.map((agent) => ({ agent, when: 'before' as const, path: [] }));
    const head = isRoot ? String(configurable?.checkpoint_id) : undefined;
    if (!(await threads.moveHead(thread.key, { head, stoppedAt, workflow, at: Date.now() }))) throw busy();
    changed(thread.key);
  }

  return {
    async update(thread, { values, asNode, checkpoint }) {
      if (thread.status === 'busy') throw busy();
      const graph = await graphOf(thread);
      if (!graph) throw invalid('The thread has no graph, because it has had no run');
      const config = { configurable: { checkpoint_ns: '', ...checkpoint, thread_id: thread.key } };
      // For an unknown checkpoint, LangGraph would start from an empty state.
      if (checkpoint?.checkpoint_id !== undefined && !(await checkpointer.getTuple(config)))
        throw new SkeinError('CHECKPOINT_NOT_FOUND');
      const made = await refusing(() => graph.updateState(config, values, asNode));
      await moveHead(thread, graph, { config: made, workflow: thread.workflow });
      return made;
    },
    async replay(thread, workflow, steps) {
      const { graph } = registry.runnable(workflow);
      const copy = withPersistence(graph, { checkpointer });
      const config = { configurable: { thread_id: thread.key, checkpoint_ns: '' } };
      const updates = steps.map((step) => ({ updates: step.map((one) => asUpdate(one, copy)) }));
      const made = await refusing(() => copy.bulkUpdateState(config, updates));
      await moveHead(thread, copy, { config: made, workflow });
    },
  };
}

function asUpdate(
  { values, command, asNode }: StepUpdate,
  graph: CompiledGraph,
): { values: unknown; asNode?: string } {
  return { values: command ? graphCommand(command, graph) : values, ...(asNode !== undefined && { asNode }) };
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof SkeinError) throw cause;
    throw invalid(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function invalid(detail: string, cause?: unknown): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail, cause });
}

function busy(): SkeinError {
  return new SkeinError('THREAD_BUSY', { detail: 'The thread has an unfinished run' });
}
