/** Runs an earlier turn again: from the checkpoint where it started, in a sandbox of its workflow. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Logger } from 'pino';
import type { DataSources } from '../../graphs/authoring/run/data-sources.ts';
import { scratchSaver } from '../../state/checkpoints/scratch-saver.ts';
import { SkeinError } from '../../state/errors.ts';
import { emptyRecord } from '../../state/threads/run-trace.ts';
import type { Usage } from '../../state/threads/runs.ts';
import type { Thread } from '../../state/threads/threads.ts';
import type { Models } from '../../tools/models/models.ts';
import { type TokenMeter, tellingMeter } from '../../tools/models/usage/meter.ts';
import { type Budgets, underBudgets } from '../budgets/budgets.ts';
import type { LimitsOptions, MemoryOptions } from '../options.ts';
import { execute } from '../run/execution/execute.ts';
import type { ExecuteParts, Execution } from '../run/execution/execution.ts';
import { followupQuestions } from '../run/execution/followups.ts';
import { memorySize, turnMemory } from '../run/execution/memory.ts';
import type { StoreOf } from '../run/store/run-store.ts';
import type { Sandbox } from '../workflows/sandbox.ts';
import type { EarlierTurn } from './earlier-turns.ts';

export interface AnsweredTurn {
  messageId: string;
  workflow: string;
  userPrompt: string;
  /** The stored answer, and the answer with the draft, which is empty if the turn fails. */
  before: string;
  after: string;
  tokenCount: number;
  /** The question of the interrupt at which the dry run of the turn ended; null if there was none. */
  interrupt: unknown;
  /** The error of the turn with the draft. */
  error: SkeinError | null;
}

/** Shared by the turns of a dry run. */
export interface Trial {
  signal: AbortSignal;
  meter: TokenMeter;
  requestId: string;
  traceparent?: string | undefined;
}

export interface RerunParts {
  models: Models;
  sources: DataSources;
  limits: LimitsOptions;
  budgets: Budgets;
  /** Resolves when the usage of the calls is stored. */
  counted(): Promise<void>;
  memory: MemoryOptions;
  /** A store whose changes are discarded after the turn. */
  scratchStoreOf: StoreOf;
  log: Logger;
}

export type RerunTurn = (turn: EarlierTurn, sandbox: Sandbox, trial: Trial) => Promise<AnsweredTurn>;

/** Throws errors that end the whole dry run: the signal's reason and BUDGET_EXCEEDED. Other errors are in the result. */
export function createRerunTurn({
  models,
  sources,
  limits,
  budgets,
  counted,
  memory,
  scratchStoreOf,
  log,
}: RerunParts): RerunTurn {
  return async (turn, sandbox, trial) => {
    const { run } = turn;
    const { workflow, messageId } = run;
    const { userPrompt } = run.request;
    const own = { tokens: 0 };
    const standing = underBudgets(trial.meter, budgets.of(run.owner, workflow), { counted });
    const common = { messageId, workflow, userPrompt, before: run.result.agentResponse };
    try {
      const saver = scratchSaver();
      const thread = await seeded(turn, saver);
      const { result } = await execute(partsOf(sandbox), {
        run: {
          runId: run.runId,
          createdAt: Date.now(),
          request: { userPrompt, deadlineSeconds: limits.run_seconds, requestId: trial.requestId },
        },
        thread,
        saver,
        store: scratchStoreOf(run.owner),
        workflow: sandbox.workflow,
        context: contextOf({ ...trial, meter: standing.meter }, own),
        journal: { outputs: () => [], asking: () => undefined },
        before: [],
      });
      const interrupt = result.interrupts[0]?.value ?? null;
      return { ...common, after: result.agentResponse, tokenCount: own.tokens, interrupt, error: null };
    } catch (thrown) {
      const error = ofThisTurn(thrown, trial.signal);
      if (error.code === 'INTERNAL_ERROR') log.error({ err: error.cause }, 'a turn of a dry run failed');
      return { ...common, after: '', tokenCount: own.tokens, interrupt: null, error };
    } finally {
      await standing.end();
    }
  };

  function partsOf({ prompts }: Sandbox): ExecuteParts {
    return {
      models,
      memory: turnMemory({ options: memory, prompts }),
      followups: followupQuestions(prompts),
      recursionLimit: limits.recursion,
      sources,
    };
  }
}

/** Writes the starting checkpoint to the saver, and returns the thread as it was before the turn. */
async function seeded({ run, start }: EarlierTurn, saver: BaseCheckpointSaver): Promise<Thread> {
  if (start) {
    const { checkpoint, metadata = { source: 'loop', step: 0, parents: {} } } = start;
    const config = { configurable: { thread_id: run.threadId, checkpoint_ns: '' } };
    await saver.put(config, checkpoint, metadata, checkpoint.channel_versions);
  }
  const { messages = [], summary = '' } = start?.checkpoint.channel_values ?? {};
  return {
    key: run.threadKey,
    owner: run.owner,
    threadId: run.threadId,
    title: '',
    workflow: run.workflow,
    head: start?.checkpoint.id ?? null,
    interrupt: null,
    memory: memorySize(messages as Parameters<typeof memorySize>[0], summary as string),
    messageCount: 0,
    keepsAll: false,
    createdAt: run.createdAt,
    updatedAt: run.createdAt,
  };
}

function contextOf({ signal, meter, traceparent }: Trial, own: { tokens: number }): Execution['context'] {
  return {
    emit() {},
    record: emptyRecord,
    onEnd() {},
    executions: {
      begin: () => ({ attempt: 1, execution: 1 }),
      attempt: () => 1,
      spokenLast: () => undefined,
      text: () => '',
    },
    causesOf: () => ({}),
    working: new Map(),
    reported: new Set(),
    signal,
    traceparent,
    meter: tellingMeter(meter, (used) => {
      own.tokens += total(used);
    }),
  };
}

function ofThisTurn(thrown: unknown, signal: AbortSignal): SkeinError {
  if (signal.aborted) throw signal.reason;
  if (!(thrown instanceof SkeinError)) return new SkeinError('INTERNAL_ERROR', { cause: thrown });
  if (thrown.code === 'BUDGET_EXCEEDED') throw thrown;
  return thrown;
}

export function total({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}
