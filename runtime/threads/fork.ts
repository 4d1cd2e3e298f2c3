/** Forks: a new thread that starts from a checkpoint of another, with changes if the caller wants some. */
import type { BaseMessage } from '@langchain/core/messages';
import { START } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { isMessage } from '../../graphs/adoption/message-json.ts';
import { withPersistence } from '../../graphs/authoring/lend-persistence.ts';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import type { Archive, Draft, NewFork, StoredCheckpoint, StoredThread } from '../../state/archive.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Runs } from '../../state/runs.ts';
import { memorySize } from '../run/execution/memory.ts';
import { valuesAt } from '../workflows/delta-values.ts';
import type { Registry } from '../workflows/registry.ts';
import { checkedUpdate, type Update } from './checkpoint-values.ts';
import { changedMessages } from './fork-messages.ts';

export interface ForkParts {
  archive: Archive;
  runs: Pick<Runs, 'find'>;
  checkpointer: BaseCheckpointSaver;
  registry: Registry;
}

export interface ForkRequest {
  owner: string;
  threadId: string;
  /** Default: the thread's head. */
  checkpointId?: string | undefined;
  /** Merged in through the graph's reducers, by channel. */
  values?: Record<string, unknown> | undefined;
}

/** Gives the new thread. Throws THREAD_NOT_FOUND, CHECKPOINT_NOT_FOUND, or INVALID_REQUEST for values. */
export type Fork = (request: ForkRequest) => Promise<StoredThread>;

export function forking({ archive, runs, checkpointer, registry }: ForkParts): Fork {
  return async ({ owner, threadId, checkpointId, values = {} }) => {
    const from = await archive.threads.find(owner, threadId);
    if (!from) throw new SkeinError('THREAD_NOT_FOUND');
    const id = checkpointId ?? from.head;
    const checkpoint = id === null ? undefined : await archive.checkpoints.find(from.key, id);
    if (!checkpoint) throw new SkeinError('CHECKPOINT_NOT_FOUND');
    const workflow = await workflowOf(from, checkpoint);
    const graph = Object.keys(values).length > 0 ? registry.runnable(workflow).graph : undefined;
    const current = await stateAt(from.key, checkpoint.checkpointId, graph);
    const update = graph && checkedUpdate(graph, current, values);
    const window = messagesOf(current);
    // The window's messages are in the newest rows; an agent may have said several things in one.
    const draft = await archive.forks.draft(from, checkpoint, update ? 2 * window.length : 0);
    if (!draft) throw new SkeinError('CHECKPOINT_NOT_FOUND');
    const fork = await written(draft, () => finish({ from, checkpoint, draft, workflow, window, update }));
    const made = await archive.threads.find(owner, fork.threadId);
    if (!made) throw new SkeinError('THREAD_NOT_FOUND');
    return made;
  };

  interface Beginning {
    from: StoredThread;
    checkpoint: StoredCheckpoint;
    draft: Draft;
    workflow: string;
    window: BaseMessage[];
    update: Update | undefined;
  }

  async function finish({ from, checkpoint, draft, workflow, window, update }: Beginning): Promise<NewFork> {
    const head = update ? await merged(draft.key, checkpoint, workflow, update) : checkpoint.checkpointId;
    const state = await stateAt(draft.key, head);
    const summary = typeof state.summary === 'string' ? state.summary : '';
    const fork: NewFork = {
      threadId: Bun.randomUUIDv7(),
      workflow,
      head,
      memory: memorySize(messagesOf(state), summary),
      createdAt: Date.now(),
      ...changedMessages(window, draft.newest, update?.messages ?? []),
    };
    if (!(await archive.forks.publish(from, draft, fork))) throw new SkeinError('THREAD_NOT_FOUND');
    return fork;
  }

  /** What fails leaves nothing behind. */
  async function written(draft: Draft, work: () => Promise<NewFork>): Promise<NewFork> {
    try {
      return await work();
    } catch (error) {
      await archive.forks.discard(draft);
      throw error;
    }
  }

  /** Gives the id of the checkpoint that has the values merged in, as if the agent that made the origin gave them. */
  async function merged(
    key: string,
    { checkpointId, agents }: StoredCheckpoint,
    workflow: string,
    { values }: Update,
  ): Promise<string> {
    const { graph } = registry.runnable(workflow);
    const config = { configurable: { thread_id: key, checkpoint_ns: '', checkpoint_id: checkpointId } };
    // Where no agent made it, the values come from outside, as its input did.
    const agent = agents.findLast((name) => name in graph.nodes) ?? START;
    try {
      const copy = withPersistence(graph, { checkpointer });
      const { configurable } = await copy.updateState(config, values, agent);
      return String(configurable?.checkpoint_id);
    } catch (cause) {
      const [channel] = Object.keys(values);
      throw new SkeinError('INVALID_REQUEST', {
        detail: `values.${channel}: the workflow cannot go on from this state`,
        cause,
      });
    }
  }

  async function workflowOf(from: StoredThread, { runId }: StoredCheckpoint): Promise<string> {
    const run = runId === null ? undefined : await runs.find(from.owner, runId);
    return run?.workflow ?? from.workflow;
  }

  async function stateAt(key: string, id: string, graph?: CompiledGraph): Promise<Record<string, unknown>> {
    const config = { configurable: { thread_id: key, checkpoint_ns: '', checkpoint_id: id } };
    const tuple = await checkpointer.getTuple(config);
    return tuple ? valuesAt(checkpointer, tuple, graph) : {};
  }
}

/** Graphs of other people's may keep anything under this name. */
function messagesOf({ messages }: Record<string, unknown>): BaseMessage[] {
  return Array.isArray(messages) ? messages.filter(isMessage) : [];
}
