/** The runtime: accepts turns, runs each on its thread, and ends it in one transaction. It owns no HTTP. */
import type { Logger } from 'pino';
import type { Models } from '../graphs/tools/model/models.ts';
import type { Prompts } from '../prompts/prompts.ts';
import type { Archive } from '../state/archive.ts';
import { SkeinError } from '../state/errors.ts';
import type { Acceptance, NewRun, Run, RunRequest, State } from '../state/state.ts';
import { type ActiveRun, runner } from './active-run.ts';
import { type Deletion, threadDeletion } from './delete-thread.ts';
import { followupQuestions } from './followups.ts';
import { lines, type Place } from './lines.ts';
import { turnMemory } from './memory.ts';
import type { Metrics } from './metrics.ts';
import type { LimitsOptions, MemoryOptions } from './options.ts';
import { refuseLong, waitsForPerson } from './refusals.ts';
import type { Registry, RunnableWorkflow } from './registry.ts';
import { repeats } from './repeats.ts';
import type { Turn, TurnRequest } from './turn.ts';

export interface RuntimeParts {
  state: State;
  archive: Archive;
  registry: Registry;
  models: Models;
  prompts: Prompts;
  limits: LimitsOptions;
  memory: MemoryOptions;
  metrics: Metrics;
  log: Logger;
}

export interface Runtime extends Deletion {
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
  const once = repeats({ keys: state.idempotencyKeys, runs: state.runs, active });
  let draining = false;
  let recovered = false;
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
    // What an earlier process accepted has its place before what comes now.
    if (!recovered) throw new SkeinError('OVERLOADED', { message: 'The service is starting', retryAfter: 1 });
    const workflow = registry.runnable(request.workflow);
    refuseLong(request.prompt, workflow.maxPromptLength);
    return once(request, () => accept(request, workflow));
  }

  async function accept(request: TurnRequest, workflow: RunnableWorkflow): Promise<Turn> {
    const { strategy, idempotency } = request;
    const run = newRun(request, workflow.name);
    const lineKey = `${run.owner}/${run.threadId}`;
    const place = line.enter(lineKey, { reject: strategy === 'reject' });
    const starts = place.started();
    const evenInterrupted = strategy === 'supersede';
    const { thread } = await write(place, { ...run, starts, evenInterrupted, idempotency });
    if (strategy === 'supersede') cancelOn(lineKey);
    const begun = starts ? { thread } : {};
    const started = start({ run, lineKey, threadKey: thread.key, place, workflow, strategy, ...begun });
    return { runId: run.runId, replayed: false, ...started };
  }

  /** Writes the run; its place is given up where it is refused. */
  async function write(place: Place, run: NewRun): Promise<Extract<Acceptance, { outcome: 'accepted' }>> {
    try {
      const acceptance = await state.runs.accept(run);
      if (acceptance.outcome === 'interrupted') throw waitsForPerson(acceptance.value);
      return acceptance;
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  function newRun(request: TurnRequest, workflow: string) {
    const {
      owner,
      prompt,
      userId,
      topic,
      eventType,
      requestId,
      traceparent,
      threadId = Bun.randomUUIDv7(),
    } = request;
    const deadlineSeconds = Math.min(limits.run_seconds, request.deadlineSeconds ?? limits.run_seconds);
    const tokenBudget = least(limits.run_tokens, request.tokenBudget);
    const asked: RunRequest = {
      userPrompt: prompt,
      userId,
      topic,
      eventType,
      requestId,
      traceparent,
      deadlineSeconds,
      tokenBudget,
    };
    return {
      runId: Bun.randomUUIDv7(),
      messageId: Bun.randomUUIDv7(),
      owner,
      threadId,
      title: titleOf(prompt),
      workflow,
      request: asked,
      createdAt: Date.now(),
    };
  }

  function cancelOn(lineKey: string): void {
    for (const run of active.values()) if (run.lineKey === lineKey && run.running) run.cancel();
  }

  async function recover(): Promise<number> {
    const left = await state.runs.unfinished();
    for (const { checkpoint, ...run } of left) {
      const lineKey = `${run.owner}/${run.threadId}`;
      const refusal = whyNotAgain(run);
      log.info(
        { run_id: run.runId, workflow: run.workflow, refusal: refusal?.code },
        'run left by an earlier process',
      );
      start({
        run,
        lineKey,
        threadKey: run.threadKey,
        place: line.reenter(lineKey),
        strategy: 'enqueue',
        checkpoint: checkpoint ?? undefined,
        // Events that cannot be read harm nothing else.
        earlier: await state.events.read(run.runId, 0).catch(() => []),
        attempt: run.status === 'running' ? run.attempt + 1 : run.attempt,
        workflow: refusal ?? registry.runnable(run.workflow),
      });
    }
    recovered = true;
    return left.length;
  }

  /** A run that took the process down with it must not do so at every start. */
  function whyNotAgain(run: Run): SkeinError | undefined {
    if (!registry.find(run.workflow)?.graph) {
      return new SkeinError('WORKFLOW_CHANGED', {
        detail: `The workflow '${run.workflow}' is no longer there`,
      });
    }
    if (run.status !== 'running' || run.attempt < MAX_ATTEMPTS) return undefined;
    return new SkeinError('INTERNAL_ERROR', {
      message: `The run was cut off ${run.attempt} times by the end of the process and is not tried again`,
    });
  }

  async function drain(milliseconds: number): Promise<void> {
    draining = true;
    const all = () => Promise.allSettled(Array.from(active.values(), ({ ended }) => ended));
    await Promise.race([all(), Bun.sleep(milliseconds)]);
    for (const run of active.values()) run.stop();
    await all();
    await deletion.settled();
  }

  const deletion = threadDeletion({ archive: parts.archive, active, line });
  return { turn, recover, drain, counts: line.counts, ...deletion };
}

function titleOf(prompt: string): string {
  const start = prompt
    .trim()
    .slice(0, 4 * MAX_TITLE)
    .replaceAll(/\s+/g, ' ');
  return [...start].slice(0, MAX_TITLE).join('');
}

function least(...values: (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length > 0 ? Math.min(...given) : undefined;
}
