/** Receives turns while the service is ready, and rejects requests for unknown workflows and checkpoints. */

import { SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { Archive } from '../../state/threads/archive.ts';
import type { LimitsOptions } from '../options.ts';
import { refuseLong } from '../run/refusals.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import type { Registry } from '../workflows/registry.ts';
import type { Acceptances } from './acceptance.ts';
import { checkedGraphRequest } from './graph-request.ts';
import type { ProtocolRunRequest, ProtocolTurn } from './protocol-run.ts';
import type { ResumeRequest, Turn, TurnRequest } from './turn.ts';

export interface IntakeParts {
  threads: State['threads'];
  checkpoints: Archive['checkpoints'];
  registry: Registry;
  limits: LimitsOptions;
  accept: Acceptances;
}

export interface Intake {
  /** Throws OVERLOADED before `open`, and SHUTTING_DOWN after `close`. */
  refuseUnready(): void;
  turn(request: TurnRequest): Promise<Turn>;
  resume(request: ResumeRequest): Promise<Turn>;
  protocolRun(request: ProtocolRunRequest): Promise<ProtocolTurn>;
  open(): void;
  close(): void;
  /** Resolves when all requests in progress are accepted or rejected. */
  settled(): Promise<unknown>;
}

export function intake({ threads, checkpoints, registry, limits, accept }: IntakeParts): Intake {
  /** Requests in progress, whose runs are not active yet. */
  const accepting = new Set<Promise<Turn>>();
  let isOpen = false;
  let isClosed = false;

  function refuseUnready(): void {
    if (isClosed) throw new SkeinError('SHUTTING_DOWN', { retryAfter: 5 });
    // Runs that an earlier process accepted must be queued first.
    if (!isOpen) throw new SkeinError('OVERLOADED', { message: 'The service is starting', retryAfter: 1 });
  }

  /** Registers a request before the first await, so that a drain waits for it. */
  function counted<Accepted extends Turn>(turn: Promise<Accepted>): Promise<Accepted> {
    const settled = () => accepting.delete(turn);
    accepting.add(turn);
    turn.then(settled, settled);
    return turn;
  }

  async function requestedTurn(request: TurnRequest, workflow: RunnableWorkflow): Promise<Turn> {
    const graph = await checkedGraphRequest(request, workflow, limits);
    refuseLong(graph.userPrompt, workflow.maxPromptLength);
    if (request.input === undefined) workflow.read(graph.userPrompt);
    if (graph.checkpointId !== undefined) await refuseUnknownCheckpoint(request, { id: graph.checkpointId });
    return accept.turn(request, graph, workflow);
  }

  async function requestedProtocolTurn(
    request: ProtocolRunRequest,
    workflow: RunnableWorkflow,
  ): Promise<ProtocolTurn> {
    if (request.checkpoint) await refuseUnknownCheckpoint(request, request.checkpoint);
    return accept.protocolRun(request, workflow);
  }

  async function refuseUnknownCheckpoint(
    { owner, threadId }: Pick<TurnRequest, 'owner' | 'threadId'>,
    { id, ns = '' }: { id: string; ns?: string | undefined },
  ): Promise<void> {
    const thread = threadId === undefined ? undefined : await threads.find(owner, threadId);
    const found = thread && (await checkpoints.findAny(thread.key, id));
    if (found?.namespace !== ns) throw new SkeinError('CHECKPOINT_NOT_FOUND');
  }

  return {
    refuseUnready,
    async turn(request) {
      refuseUnready();
      const workflow = registry.runnable(request.workflow);
      return counted(requestedTurn(request, workflow));
    },
    async resume(request) {
      refuseUnready();
      return counted(accept.resume(request));
    },
    async protocolRun(request) {
      refuseUnready();
      const workflow = registry.runnable(request.workflow);
      return counted(requestedProtocolTurn(request, workflow));
    },
    open() {
      isOpen = true;
    },
    close() {
      isClosed = true;
    },
    settled: () => Promise.allSettled(accepting),
  };
}
