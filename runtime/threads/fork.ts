/** Forks a thread: creates a thread that starts from a checkpoint of another, with optional changes. */
import type { BaseMessage } from '@langchain/core/messages';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { isMessage } from '../../graphs/adoption/message-json.ts';
import { withPersistence } from '../../graphs/authoring/persistence/lend-persistence.ts';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Archive, Draft, NewFork, StoredCheckpoint, StoredThread } from '../../state/threads/archive.ts';
import type { Runs } from '../../state/threads/runs.ts';
import { memorySize } from '../run/execution/memory.ts';
import { valuesAt } from '../workflows/delta-values.ts';
import type { Registry } from '../workflows/registry.ts';
import { checkedUpdate, type Update } from './checkpoint-values.ts';
import { editedState } from './edited-state.ts';
import { changedMessages, copiedMessages } from './fork-messages.ts';
import { findForkPoint } from './fork-point.ts';

export interface ForkParts {
  archive: Archive;
  runs: Pick<Runs, 'find'>;
  checkpointer: BaseCheckpointSaver;
  registry: Registry;
}

export interface ForkRequest {
  owner: string;
  threadId: string;
  /** Default: the thread's head. With a subgraph's checkpoint, the fork continues inside that subgraph. */
  checkpointId?: string | undefined;
  /** By channel; the graph's reducers merge the values into the state. */
  values?: Record<string, unknown> | undefined;
  /** By channel; the values replace the current ones. */
  replace?: Record<string, unknown> | undefined;
}

/** Returns the new thread. Throws THREAD_NOT_FOUND, CHECKPOINT_NOT_FOUND, or INVALID_REQUEST for invalid values. */
export type Fork = (request: ForkRequest) => Promise<StoredThread>;

export function createFork({ archive, runs, checkpointer, registry }: ForkParts): Fork {
  return async ({ owner, threadId, checkpointId, values = {}, replace = {} }) => {
    const from = await archive.threads.find(owner, threadId);
    if (!from) throw new SkeinError('THREAD_NOT_FOUND');
    const id = checkpointId ?? from.head;
    const point = id === null ? undefined : await findForkPoint({ archive, checkpointer }, from.key, id);
    if (!point) throw new SkeinError('CHECKPOINT_NOT_FOUND');
    const { at, root, inside } = point;
    const workflow = await workflowOf(from, root);
    const isChanged = Object.keys({ ...values, ...replace }).length > 0;
    const graphs = isChanged ? await graphsAt(workflow, at) : undefined;
    const update =
      graphs && checkedUpdate(graphs.own, await stateAt(from.key, at, graphs.own), { values, replace });
    const before = await stateAt(from.key, root, registry.find(workflow)?.graph);
    const window = messagesOf(before);
    // The messages of runs of LangGraph's protocol are only in the state.
    const isInState = from.keepsAll && Array.isArray(before.messages);
    // Only the root graph's messages are in the conversation.
    const messages = inside.length === 0 ? (update?.messages ?? []) : [];
    // The window's messages are in the newest rows. One row may contain several messages, so read twice as many.
    const rows = messages.length > 0 ? 2 * window.length : 0;
    const draft = await archive.forks.draft(from, root, isInState ? null : rows, inside);
    if (!draft) throw new SkeinError('CHECKPOINT_NOT_FOUND');
    const fork = await written(draft, async () => {
      const made = update && graphs && (await edited(draft.key, at, { ...graphs, update }));
      const head = made !== undefined && at === root ? made : root.checkpointId;
      return finish({ from, draft, head, workflow, window, messages, isInState });
    });
    const made = await archive.threads.find(owner, fork.threadId);
    if (!made) throw new SkeinError('THREAD_NOT_FOUND');
    return made;
  };

  interface Ready {
    from: StoredThread;
    draft: Draft;
    head: string;
    workflow: string;
    window: BaseMessage[];
    messages: BaseMessage[];
    /** Whether the conversation consists of the messages in the state. */
    isInState: boolean;
  }

  async function finish({
    from,
    draft,
    head,
    workflow,
    window,
    messages,
    isInState,
  }: Ready): Promise<NewFork> {
    const state = await stateAt(draft.key, { namespace: '', checkpointId: head });
    const summary = typeof state.summary === 'string' ? state.summary : '';
    const fork: NewFork = {
      threadId: Bun.randomUUIDv7(),
      workflow,
      head,
      memory: memorySize(messagesOf(state), summary),
      createdAt: Date.now(),
      ...(isInState ? copiedMessages(messagesOf(state)) : changedMessages(window, draft.newest, messages)),
    };
    if (!(await archive.forks.publish(from, draft, fork))) throw new SkeinError('THREAD_NOT_FOUND');
    return fork;
  }

  /** Discards the draft if `work` fails. */
  async function written(draft: Draft, work: () => Promise<NewFork>): Promise<NewFork> {
    try {
      return await work();
    } catch (error) {
      await archive.forks.discard(draft);
      throw error;
    }
  }

  /** Returns the id of the checkpoint with the changes. */
  async function edited(
    thread: string,
    at: StoredCheckpoint,
    { graph, own, update: { values } }: Graphs & { update: Update },
  ): Promise<string> {
    try {
      return await editedState({ checkpointer, graph, own, thread, at, values });
    } catch (cause) {
      const [channel] = Object.keys(values);
      throw new SkeinError('INVALID_REQUEST', {
        detail: `values.${channel}: the workflow cannot continue from this state`,
        cause,
      });
    }
  }

  interface Graphs {
    graph: CompiledGraph;
    /** The checkpoint's graph: the root graph or a subgraph. */
    own: CompiledGraph;
  }

  async function graphsAt(workflow: string, { namespace }: StoredCheckpoint): Promise<Graphs> {
    const graph = withPersistence(registry.runnable(workflow).graph, { checkpointer });
    if (namespace === '') return { graph, own: graph };
    const path = namespace.split('|').map((part) => part.split(':')[0]);
    for await (const [, own] of graph.getSubgraphsAsync(path.join('|'), true))
      return { graph, own: own as CompiledGraph };
    throw new SkeinError('INVALID_REQUEST', {
      detail: `checkpoint_id: LangGraph does not find the subgraph of '${path.join('/')}', so its state can't be changed`,
    });
  }

  async function workflowOf(from: StoredThread, { runId }: StoredCheckpoint): Promise<string> {
    const run = runId === null ? undefined : await runs.find(from.owner, runId);
    return run?.workflow ?? from.workflow;
  }

  async function stateAt(
    key: string,
    { namespace, checkpointId }: Pick<StoredCheckpoint, 'namespace' | 'checkpointId'>,
    graph?: CompiledGraph,
  ): Promise<Record<string, unknown>> {
    const config = {
      configurable: { thread_id: key, checkpoint_ns: namespace, checkpoint_id: checkpointId },
    };
    const tuple = await checkpointer.getTuple(config);
    return tuple ? valuesAt(checkpointer, tuple, graph) : {};
  }
}

/** A graph that was not written for Skein may store anything in `messages`. */
function messagesOf({ messages }: Record<string, unknown>): BaseMessage[] {
  return Array.isArray(messages) ? messages.filter(isMessage) : [];
}
