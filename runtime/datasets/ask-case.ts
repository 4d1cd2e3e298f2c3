/** Runs a case of a dataset, as a run or as a model call, and scores its answer. */
import { setTimeout } from 'node:timers/promises';
import { SkeinError } from '../../state/errors.ts';
import { turnTokens } from '../../state/usage/turn-usage.ts';
import type { EndedRun } from '../run/ending/ended-run.ts';
import type { Runtime } from '../runtime.ts';
import type { AskCall } from './ask-call.ts';
import type { CaseCall } from './case-call.ts';
import { type Case, questionOf } from './cases.ts';
import type { JudgedCase, PromptVersion } from './results.ts';
import { type Answer, mismatches } from './score.ts';

export interface Asking {
  owner: string;
  workflow: string;
  requestId: string;
  traceparent: string | undefined;
  /** Counts a turn against the caller's rate limit. Throws RATE_LIMITED. */
  countTurn(): Promise<void>;
  signal: AbortSignal;
}

export interface SentCase {
  judged: JudgedCase;
  models: string[];
  prompts: PromptVersion[];
}

export interface NamedCase extends Pick<JudgedCase, 'key' | 'id'> {
  case: Case;
}

export type AskCase = (asking: Asking, named: NamedCase, thread: CaseThread) => Promise<SentCase>;

interface CaseThread {
  threadId: string;
  temporary: boolean;
}

export interface AskParts {
  runtime: Pick<Runtime, 'turn' | 'run'>;
  /** The answer in the format of the chat endpoint, which cases refer to. */
  responseOf(ended: EndedRun): Answer;
  askCall: AskCall;
}

type Used = Pick<SentCase, 'models' | 'prompts'>;

interface Answered {
  answer: Answer;
  tokens: number;
  usedIn(): Promise<Used>;
}

const MAX_SHOWN = 4_000;

/** Throws only errors that stop the whole dataset: the signal's reason, and errors that would reject every other case too. */
export function createAskCase({ runtime, responseOf, askCall }: AskParts): AskCase {
  return async (asking, { key, id, case: datasetCase }, thread) => {
    const { expect, source } = datasetCase;
    const about = {
      key,
      id,
      prompt: questionOf(datasetCase),
      expect,
      source,
      ...(datasetCase.call && { is_call: true }),
    };
    await retryWhenLimited(() => asking.countTurn(), asking.signal);
    const began = performance.now();
    const took = () => Math.round(performance.now() - began);
    let used: Used = { models: [], prompts: [] };
    try {
      const { answer, tokens, usedIn } = await (datasetCase.call
        ? called(asking, datasetCase.call)
        : ran(asking, datasetCase, thread));
      used = await usedIn();
      const missed = mismatches(expect, answer);
      const judged = { answered: true, right: missed.length === 0, misses: missed, tokens };
      const shown = answer.agent_response.slice(0, MAX_SHOWN);
      return { judged: { ...about, ...judged, answer: shown, milliseconds: took() }, ...used };
    } catch (error) {
      asking.signal.throwIfAborted();
      if (!(error instanceof SkeinError) || stopsAll(error)) throw error;
      const reason = [error.message, error.detail].filter(Boolean).join(': ');
      const judged = { answered: false, right: false, misses: [reason], answer: '', tokens: 0 };
      return { judged: { ...about, ...judged, milliseconds: took() }, ...used };
    }
  };

  async function ran(asking: Asking, { prompt, input }: Case, thread: CaseThread): Promise<Answered> {
    const { owner, workflow, requestId, traceparent, signal } = asking;
    const request = { owner, workflow, prompt, input, requestId, traceparent, ...thread };
    const turn = await retryWhenLimited(
      () => runtime.turn({ ...request, strategy: 'enqueue', whole: true }),
      signal,
    );
    signal.addEventListener('abort', turn.cancel, { once: true });
    if (signal.aborted) turn.cancel();
    const ended = await turn.ended.finally(() => signal.removeEventListener('abort', turn.cancel));
    return {
      answer: responseOf(ended),
      tokens: turnTokens(ended),
      usedIn: () => usedBy(owner, turn.runId),
    };
  }

  async function called({ owner, workflow, traceparent, signal }: Asking, call: CaseCall): Promise<Answered> {
    const answer = await retryWhenLimited(
      () => askCall({ owner, workflow, traceparent, signal, call }),
      signal,
    );
    const { model, prompts, token_count } = answer;
    return { answer, tokens: token_count, usedIn: async () => ({ models: [model], prompts }) };
  }

  async function usedBy(owner: string, runId: string): Promise<Used> {
    const { agents } = await runtime.run(owner, runId);
    return {
      models: agents.flatMap(({ calls }) => calls.map(({ model }) => model)),
      prompts: agents.flatMap(({ prompts }) => prompts),
    };
  }
}

function stopsAll({ code, status }: SkeinError): boolean {
  return (
    code === 'SHUTTING_DOWN' || code === 'STATE_UNAVAILABLE' || (code === 'BUDGET_EXCEEDED' && status === 429)
  );
}

const MAX_TRIES = 100;

/** Retries after RATE_LIMITED and OVERLOADED, with the delay that the error specifies. */
async function retryWhenLimited<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      const waits =
        error instanceof SkeinError && (error.code === 'RATE_LIMITED' || error.code === 'OVERLOADED');
      if (!waits || tries === MAX_TRIES) throw error;
      // Ends early when the signal aborts.
      await setTimeout((error.retryAfter ?? 1) * 1000, undefined, { signal }).catch(() => {});
    }
  }
}
