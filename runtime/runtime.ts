/** The runtime: accepts turns, runs each on its thread, and ends it in one transaction. It owns no HTTP. */
import type { Logger } from 'pino';
import type { Models } from '../graphs/tools/model/models.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { SkeinError } from '../state/errors.ts';
import type { Run, RunRequest, State } from '../state/state.ts';
import { type ActiveRun, type EndedRun, runner } from './active-run.ts';
import { followupQuestions } from './followups.ts';
import { lines } from './lines.ts';
import { turnMemory } from './memory.ts';
import type { Metrics } from './metrics.ts';
import type { LimitsOptions, MemoryOptions } from './options.ts';
import { refuseLong, waitsForPerson } from './refusals.ts';
import type { Registry } from './registry.ts';

export interface RuntimeParts {
  state: State;
  registry: Registry;
  models: Models;
  prompts: Prompts;
  limits: LimitsOptions;
  memory: MemoryOptions;
  metrics: Metrics;
  log: Logger;
}

/** What a caller asks for. */
export interface TurnRequest {
  owner: string;
  workflow: string;
  threadId?: string | undefined;
  prompt: string;
  userId?: string | undefined;
  topic?: string | undefined;
  eventType?: string | undefined;
  strategy: 'enqueue' | 'reject' | 'supersede';
  /** Tighter than the configured limits, or without effect. */
  tokenBudget?: number | undefined;
  deadlineSeconds?: number | undefined;
  requestId: string;
  /** The digest tells whether the same key comes with another body. */
  idempotency?: { key: string; digest: string } | undefined;
}

/** An accepted turn: it is on disk and goes on whatever happens to the caller. */
export interface Turn {
  runId: string;
  /** True when an idempotency key named an earlier run, whose answer this is. */
  replayed: boolean;
  /** Rejects with the SkeinError that ended the run. */
  ended: Promise<EndedRun>;
  cancel(): void;
}

export interface Runtime {
  /** Resolves once the turn is accepted; throws where it is refused, and then nothing is stored. */
  turn(request: TurnRequest): Promise<Turn>;
  /** Goes on with what an earlier process left. */
  recover(): Promise<number>;
  /** Refuses new turns, waits for the running ones, and stops those that take longer at their last checkpoint. */
  drain(milliseconds: number): Promise<void>;
  counts(): { running: number; waiting: number };
}

const MAX_TITLE = 80;
const MAX_ATTEMPTS = 3;

export function createRuntime(parts: RuntimeParts): Runtime {
  const { state, registry, limits, log } = parts;
  const line = lines({
    perThread: limits.queued_turns_per_thread,
    concurrent: limits.concurrent_runs,
    queued: limits.queued_runs,
  });
  const active = new Map<string, ActiveRun>();
  let draining = false;
  const start = runner({
    state,
    log,
    active,
    queueSeconds: limits.queue_seconds,
    metrics: parts.metrics,
    parts: {
      checkpointer: state.checkpointer,
      models: parts.models,
      memory: turnMemory({ options: parts.memory, checkpointer: state.checkpointer, prompts: parts.prompts }),
      followups: followupQuestions(parts.prompts),
      recursionLimit: limits.recursion,
    },
  });

  async function turn(request: TurnRequest): Promise<Turn> {
    if (draining) throw new SkeinError('SHUTTING_DOWN', { retryAfter: 5 });
    const workflow = registry.runnable(request.workflow);
    refuseLong(request.prompt, workflow.maxPromptLength);
    const threadId = request.threadId ?? Bun.randomUUIDv7();
    const lineKey = `${request.owner}/${threadId}`;
    const supersedes = request.strategy === 'supersede';
    if (supersedes) cancelOn(lineKey);
    const place = line.enter(lineKey, { reject: request.strategy === 'reject' });
    try {
      const run = {
        ...newRun(request, workflow.name, threadId),
        starts: place.started(),
        evenInterrupted: supersedes,
      };
      const acceptance = await state.runs.accept({ ...run, idempotency: request.idempotency });
      if (acceptance.outcome === 'repeated') {
        place.leave();
        return await replay(request, acceptance);
      }
      if (acceptance.outcome === 'interrupted') throw waitsForPerson(acceptance.value);
      const { thread } = acceptance;
      const begun = run.starts ? { thread } : {};
      const started = start({
        run,
        lineKey,
        threadKey: thread.key,
        place,
        workflow,
        strategy: request.strategy,
        ...begun,
      });
      return { runId: run.runId, replayed: false, ...started };
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  function newRun(request: TurnRequest, workflow: string, threadId: string) {
    const { owner, prompt, userId, topic, eventType, requestId } = request;
    const deadlineSeconds = Math.min(limits.run_seconds, request.deadlineSeconds ?? limits.run_seconds);
    const tokenBudget = least(limits.run_tokens, request.tokenBudget);
    const asked: RunRequest = {
      userPrompt: prompt,
      userId,
      topic,
      eventType,
      requestId,
      deadlineSeconds,
      tokenBudget,
    };
    return {
      runId: Bun.randomUUIDv7(),
      messageId: Bun.randomUUIDv7(),
      owner,
      threadId,
      title: prompt.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_TITLE),
      workflow,
      request: asked,
      createdAt: Date.now(),
    };
  }

  function cancelOn(lineKey: string): void {
    for (const run of active.values()) if (run.lineKey === lineKey && run.running) run.cancel();
  }

  async function replay(request: TurnRequest, earlier: { runId: string; digest: string }): Promise<Turn> {
    if (earlier.digest !== request.idempotency?.digest) throw new SkeinError('IDEMPOTENCY_MISMATCH');
    const { runId } = earlier;
    const going = active.get(runId);
    if (going) return { runId, replayed: true, ended: going.ended, cancel: () => {} };
    const run = await state.runs.find(request.owner, runId);
    const ended = run ? endedRun(run) : Promise.reject(new SkeinError('RUN_NOT_FOUND'));
    ended.catch(() => {});
    return { runId, replayed: true, ended, cancel: () => {} };
  }

  async function recover(): Promise<number> {
    const left = await state.runs.unfinished();
    for (const { checkpoint, ...run } of left) {
      const lineKey = `${run.owner}/${run.threadId}`;
      const place = line.enter(lineKey, { reject: false });
      const workflow = registry.find(run.workflow);
      const tired = run.attempt >= MAX_ATTEMPTS && run.status === 'running';
      start({
        run,
        lineKey,
        threadKey: run.threadKey,
        place,
        strategy: 'enqueue',
        checkpoint: checkpoint ?? undefined,
        earlier: await state.events.read(run.runId, 0),
        attempt: run.status === 'running' ? run.attempt + 1 : run.attempt,
        workflow: workflow?.graph && !tired ? { ...workflow, graph: workflow.graph } : undefined,
      });
      log.info(
        { run_id: run.runId, workflow: run.workflow, attempt: run.attempt },
        'run goes on after a restart',
      );
    }
    return left.length;
  }

  async function drain(milliseconds: number): Promise<void> {
    draining = true;
    const all = () => Promise.allSettled(Array.from(active.values(), ({ ended }) => ended));
    await Promise.race([all(), Bun.sleep(milliseconds)]);
    for (const run of active.values()) run.stop();
    await all();
  }

  return { turn, recover, drain, counts: line.counts };
}

/** The stored end of a run, given again. */
async function endedRun(run: Run): Promise<EndedRun> {
  if (run.error) {
    const { error_code, message, detail } = run.error;
    throw new SkeinError(error_code, { message, detail });
  }
  if (!run.result)
    throw new SkeinError('OVERLOADED', { detail: `Run ${run.runId} has not ended yet`, retryAfter: 1 });
  return { ...run, result: run.result };
}

function least(...values: (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length > 0 ? Math.min(...given) : undefined;
}
