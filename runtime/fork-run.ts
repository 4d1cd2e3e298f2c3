/** Forks a thread and runs the fork immediately, with the options of the run that wrote the checkpoint. */
import type { Archive, StoredThread } from '../state/threads/archive.ts';
import type { Nodes, RunRequest, Runs } from '../state/threads/runs.ts';
import { assistantId } from './assistants/system-assistants.ts';
import { checkNodes } from './intake/graph-request.ts';
import type { Runtime } from './runtime.ts';
import type { Fork, ForkRequest } from './threads/fork.ts';
import type { Registry } from './workflows/registry.ts';

export interface ForkRunParts {
  fork: Fork;
  archive: Pick<Archive, 'checkpoints'>;
  runs: Pick<Runs, 'find'>;
  registry: Pick<Registry, 'runnable'>;
  runtime: Pick<Runtime, 'protocolRun' | 'deleteThread'>;
}

interface ForkRunRequest extends ForkRequest {
  interruptBefore?: Nodes | undefined;
  interruptAfter?: Nodes | undefined;
  requestId: string;
  traceparent?: string | undefined;
}

/** `runId` is undefined if the checkpoint has no next node. If the fork or the run is rejected, no thread is created. */
export type RunFork = (request: ForkRunRequest) => Promise<{ thread: StoredThread; runId?: string }>;

export function forkRuns({ fork, archive, runs, registry, runtime }: ForkRunParts): RunFork {
  return async (request) => {
    const { owner } = request;
    const thread = await fork(request);
    const { key, head, threadId } = thread;
    const newest = head === null ? undefined : await archive.checkpoints.find(key, head);
    if (!newest || newest.next.length === 0) return { thread };
    try {
      return { thread, runId: await runOn(request, thread) };
    } catch (error) {
      await runtime.deleteThread(owner, threadId);
      throw error;
    }
  };

  async function runOn(request: ForkRunRequest, thread: StoredThread): Promise<string> {
    const { requestId, traceparent, interruptBefore, interruptAfter } = request;
    const { owner, threadId, workflow } = thread;
    const runnable = registry.runnable(workflow);
    checkNodes('interrupt_before', interruptBefore, runnable);
    checkNodes('interrupt_after', interruptAfter, runnable);
    const { context, configurable, recursionLimit } = await originalOf(thread);
    const { runId } = await runtime.protocolRun({
      ...{ owner, threadId, workflow, requestId, traceparent, interruptBefore, interruptAfter },
      ...{ assistantId: assistantId(workflow), metadata: {}, strategy: 'reject' },
      identity: identityIn(configurable),
      // Continues from the newest checkpoint.
      input: null,
      ...(context !== undefined && { context }),
      // Streams the models' texts to followers, as a turn does.
      ...{ configurable, recursionLimit, streamModes: ['messages-tuple'], streamSubgraphs: true },
    });
    return runId;
  }

  /** The request of the run whose checkpoint was copied; empty if that is unknown. */
  async function originalOf({ owner, key, parent }: StoredThread): Promise<Partial<RunRequest>> {
    const copied = parent && (await archive.checkpoints.find(key, parent.checkpointId));
    const run = copied?.runId ? await runs.find(owner, copied.runId) : undefined;
    return run?.request ?? {};
  }
}

/** The identity that LangGraph's protocol stores in `configurable`. The caller is the same, so it is copied. */
function identityIn(configurable: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(configurable).filter(([key]) => key.startsWith('langgraph_auth_')),
  );
}
