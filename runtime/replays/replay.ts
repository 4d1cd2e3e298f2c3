/** Sends model calls outside of runs: a changed call of an earlier run, once or several times, or a given call. */
import type { Logger } from 'pino';
import { SkeinError } from '../../state/errors.ts';
import type { Runs } from '../../state/threads/runs.ts';
import type { BudgetStore } from '../../state/usage/budgets.ts';
import type { UsageStore } from '../../state/usage/usage-store.ts';
import type { ToolCall } from '../../tools/models/answer/answer.ts';
import type { EndedCall } from '../../tools/models/call/call.ts';
import type { ChatModel, Models } from '../../tools/models/models.ts';
import type { CompletionRequest } from '../../tools/models/provider/endpoint.ts';
import type { TokenMeter } from '../../tools/models/usage/meter.ts';
import { type Budgets, underBudgets } from '../budgets/budgets.ts';
import type { Metrics } from '../metrics.ts';
import type { LimitsOptions } from '../options.ts';
import { tokenMeter } from '../run/meter.ts';
import { mapConcurrently } from '../trials/map-concurrently.ts';
import {
  type TrialCaller,
  type TrialQueue,
  type TrialQueueParts,
  trialQueue,
} from '../trials/trial-queue.ts';

interface ReplayRequest extends CallToSend {
  /** The run of the original call. The calls count for the budgets and usage of its workflow. */
  runId: string;
  /** How often the call is sent. */
  times: number;
}

interface CallToSend extends TrialCaller {
  /** A configured chat model; default: the first one. */
  model: string | undefined;
  request: CompletionRequest;
  /** The W3C trace that the calls belong to. */
  traceparent?: string | undefined;
}

export interface SentCallRequest extends CallToSend {
  /** The call counts for this workflow's budgets and usage. */
  workflow: string;
}

export interface ReplayedCall {
  call: EndedCall;
  /** The tool calls of the answer; they are not executed. */
  toolCalls: ToolCall[];
  /** The provider's finish reason; null without a usable answer. */
  finish: string | null;
}

export interface Replays extends Pick<TrialQueue, 'settled' | 'stop'> {
  /**
   * A failed call has its error and doesn't stop the others. Throws RUN_NOT_FOUND, INVALID_REQUEST for an unknown model,
   * BUDGET_EXCEEDED if a budget is used up, RUN_CANCELLED, and the errors of `TrialQueue.run`.
   */
  run(request: ReplayRequest): Promise<ReplayedCall[]>;
  /** Sends a given call, at most eight per caller at the same time. Throws the same errors except RUN_NOT_FOUND. */
  send(request: SentCallRequest): Promise<ReplayedCall>;
}

export interface ReplayParts {
  models: Models;
  state: { runs: Pick<Runs, 'find'>; budgets: Pick<BudgetStore, 'counted'>; usage: Pick<UsageStore, 'add'> };
  budgets: Budgets;
  metrics: Pick<Metrics, 'modelCalled' | 'tokensUsed'>;
  limits: LimitsOptions;
  slots: TrialQueueParts['slots'];
  log: Logger;
}

export function replays({ models, state, budgets, metrics, limits, slots, log }: ReplayParts): Replays {
  const purpose = 'call a model';
  const room = trialQueue({ what: 'replay', purpose, limits, slots });
  const sending = trialQueue({ what: 'model call', purpose, perCaller: MAX_SENT, limits, slots });

  async function run(request: ReplayRequest): Promise<ReplayedCall[]> {
    const found = await state.runs.find(request.owner, request.runId);
    if (!found) throw new SkeinError('RUN_NOT_FOUND');
    return admitted({ ...request, workflow: found.workflow }, room);
  }

  async function admitted(request: Counted, { run }: TrialQueue): Promise<ReplayedCall[]> {
    const model = models.chat(request.model);
    if (!model) throw new SkeinError('INVALID_REQUEST', { detail: unknownModel(models) });
    await budgets.of(request.owner, request.workflow)?.refuseUsedUp();
    return run(request, (signal) => counted({ ...request, signal }, model));
  }

  /** Stores the usage of the calls even if they fail. */
  async function counted(request: Counted, model: ChatModel): Promise<ReplayedCall[]> {
    const { owner, runId, workflow, times, signal } = request;
    const meter = tokenMeter(limits.run_tokens);
    const standing = underBudgets(meter, budgets.of(owner, workflow), state.budgets);
    try {
      const answers = await mapConcurrently(Array.from({ length: times }), () =>
        replayed(request, model, standing.meter),
      );
      if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
      return answers;
    } finally {
      const { usage } = meter;
      const tokens = usage.inputTokens + usage.outputTokens;
      await standing.end();
      if (tokens > 0) await state.usage.add({ owner, workflow, usage, at: Date.now() });
      metrics.tokensUsed(workflow, usage);
      log.info({ owner, runId, model: model.name, times, tokens }, 'replay');
    }
  }

  async function replayed(
    { request, signal, traceparent }: CallToSend,
    model: ChatModel,
    meter: TokenMeter,
  ): Promise<ReplayedCall> {
    const ended = Promise.withResolvers<EndedCall>();
    const onEnd = (call: EndedCall) => {
      metrics.modelCalled(call);
      ended.resolve(call);
    };
    try {
      const { toolCalls, finish } = await model.answer(request, { signal, meter, traceparent, onEnd });
      return { call: await ended.promise, toolCalls, finish };
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      return { call: await ended.promise, toolCalls: [], finish: null };
    }
  }

  return {
    run,
    async send(request) {
      const [sent] = await admitted({ ...request, times: 1 }, sending);
      if (!sent) throw new SkeinError('RUN_CANCELLED');
      return sent;
    },
    settled: () => Promise.all([room.settled(), sending.settled()]),
    stop() {
      room.stop();
      sending.stop();
    },
  };
}

// Enough for two dataset runs with four concurrent cases each.
const MAX_SENT = 8;

type Counted = SentCallRequest & Pick<ReplayRequest, 'times'> & Partial<Pick<ReplayRequest, 'runId'>>;

function isTimeout(reason: unknown): boolean {
  return reason instanceof SkeinError && reason.code === 'RUN_TIMEOUT';
}

function unknownModel(models: Models): string {
  const names = models.states().map(({ model }) => `'${model}'`);
  return `model: expected a configured chat model, one of ${names.join(', ')}`;
}
