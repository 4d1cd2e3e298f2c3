/** Runs a dataset in the background. Each case is an ordinary run of the caller; the result file is updated during the run. */
import type { Logger } from 'pino';
import { SkeinError } from '../../state/errors.ts';
import type { Runtime } from '../runtime.ts';
import { mapConcurrently } from '../trials/map-concurrently.ts';
import type { Registry } from '../workflows/registry.ts';
import { type Asking, type AskParts, createAskCase, type NamedCase, type SentCase } from './ask-case.ts';
import { nameOf, questionOf } from './cases.ts';
import { type Datasets, MAX_CASES } from './datasets.ts';
import type { JudgedCase, PromptVersion, Result, Results } from './results.ts';
import { type Dataset, refuseBroken } from './stored-case.ts';

interface DatasetRunRequest extends Omit<Asking, 'signal'> {
  dataset: string;
}

export interface DatasetRuns {
  /**
   * Returns the initial result. Throws NOT_FOUND, CONFIGURATION_ERROR for an invalid dataset or workflow,
   * INVALID_WORKFLOW_TYPE, and OVERLOADED if two runs of the caller are in progress.
   */
  start(request: DatasetRunRequest): Promise<Result>;
  /** Stops all runs, and resolves when they have ended. */
  stop(): Promise<void>;
}

export interface DatasetRunParts extends Pick<AskParts, 'responseOf' | 'askCall'> {
  datasets: Pick<Datasets, 'read'>;
  results: Results;
  runtime: Pick<Runtime, 'turn' | 'run' | 'deleteThread'>;
  registry: Pick<Registry, 'runnable'>;
  log: Logger;
}

const MAX_PER_CALLER = 2;
const SAVE_MS = 1_000;

export function datasetRuns(parts: DatasetRunParts): DatasetRuns {
  const { datasets, results, runtime, registry, log } = parts;
  const ask = createAskCase(parts);
  const active = new Map<AbortController, { owner: string; ended: Promise<void> }>();
  let isStopped = false;

  async function start(request: DatasetRunRequest): Promise<Result> {
    const { owner } = request;
    if (isStopped) throw new SkeinError('SHUTTING_DOWN', { retryAfter: 5 });
    const workflow = registry.runnable(request.workflow).name;
    const dataset = await datasets.read(request.dataset);
    refuseUnfit(dataset);
    const theirs = [...active.values()].filter((one) => one.owner === owner);
    if (theirs.length >= MAX_PER_CALLER)
      throw new SkeinError('OVERLOADED', { message: TOO_MANY, retryAfter: 5 });
    const result = newResult(dataset, workflow, owner);
    const stopper = new AbortController();
    const begun = results.save(result);
    const ended = begun
      .then(() => runToEnd(result, dataset, { ...request, workflow }, stopper))
      .catch(() => {})
      .finally(() => active.delete(stopper));
    active.set(stopper, { owner, ended });
    await begun;
    return { ...result };
  }

  /** Never rejects. */
  async function runToEnd(
    result: Result,
    dataset: Dataset,
    request: DatasetRunRequest,
    stopper: AbortController,
  ): Promise<void> {
    const asking = { ...request, signal: stopper.signal };
    const { dataset: name, result_id } = result;
    // Saves are serialized, so that an earlier state can't overwrite a later one.
    let last = Promise.resolve();
    const save = () => {
      last = last.then(async () => {
        if (!(await saved(result))) stopper.abort(new SkeinError('RUN_CANCELLED'));
      });
      return last;
    };
    const saving = setInterval(save, SAVE_MS);
    try {
      await mapConcurrently(conversationsOf(dataset), (cases) => conversation(asking, cases, result));
      result.cases = inOrder(result.cases, dataset);
      result.status = 'finished';
    } catch (error) {
      stopper.abort(error);
      Object.assign(result, endOf(error));
      if (!(error instanceof SkeinError)) log.error({ err: error, dataset: name }, 'a dataset run failed');
    } finally {
      clearInterval(saving);
    }
    await save();
    log.info({ dataset: name, result_id, right: result.right, total: result.total }, 'dataset run ended');
  }

  /** Runs the cases as consecutive turns on a thread that is deleted afterwards. */
  async function conversation(asking: Asking, cases: NamedCase[], result: Result): Promise<void> {
    const threadId = `eval-${Bun.randomUUIDv7()}`;
    // A temporary thread is deleted after its first turn, so several turns need an ordinary thread.
    const temporary = cases.length === 1;
    try {
      for (const one of cases) {
        asking.signal.throwIfAborted();
        count(result, await ask(asking, one, { threadId, temporary }));
      }
    } finally {
      if (!temporary) await runtime.deleteThread(asking.owner, threadId).catch(() => {});
    }
  }

  /** Returns false if the result was deleted: it must not be created again, and the run stops. */
  async function saved(result: Result): Promise<boolean> {
    try {
      if (!(await results.find(result.dataset, result.result_id))) return false;
      await results.save({ ...result, updated_at: new Date().toISOString() });
    } catch (error) {
      log.error({ err: error, dataset: result.dataset }, 'a result of a dataset could not be saved');
    }
    return true;
  }

  return {
    start,
    async stop() {
      isStopped = true;
      for (const stopper of active.keys()) stopper.abort(new SkeinError('SHUTTING_DOWN', { retryAfter: 5 }));
      await Promise.all([...active.values()].map(({ ended }) => ended));
    },
  };
}

const TOO_MANY = 'You already have two dataset runs in progress. Try again when one has ended';

function refuseUnfit(dataset: Dataset): void {
  refuseBroken(dataset);
  const { cases, name } = dataset;
  if (cases.length > 0 && cases.length <= MAX_CASES) return;
  const detail = `the dataset '${name}' has ${cases.length} cases: expected 1 to ${MAX_CASES}`;
  throw new SkeinError('INVALID_REQUEST', { detail });
}

function newResult({ name, cases }: Dataset, workflow: string, author: string): Result {
  const now = new Date().toISOString();
  return {
    result_id: Bun.randomUUIDv7(),
    dataset: name,
    workflow,
    author,
    status: 'running',
    error: null,
    created_at: now,
    updated_at: now,
    total: cases.length,
    ...{ done: 0, right: 0, unanswered: 0, tokens: 0 },
    ...{ models: [], prompts: [], cases: [] },
  };
}

/** Groups the cases by thread; a case without one is a conversation of its own. */
function conversationsOf({ cases }: Dataset): NamedCase[][] {
  const named = cases.map((one) => {
    const key = one.case.id ?? questionOf(one.case);
    return { key, id: nameOf(one), case: one.case, line: one.line };
  });
  return [...Map.groupBy(named, (one) => one.case.thread ?? one.line).values()];
}

function count(result: Result, { judged, models, prompts }: SentCase): void {
  result.cases.push(judged);
  result.done += 1;
  if (judged.right) result.right += 1;
  if (!judged.answered) result.unanswered += 1;
  result.tokens += judged.tokens;
  result.models = [...new Set([...result.models, ...models])];
  const known = new Map([...result.prompts, ...prompts].map((one) => [versionKey(one), one]));
  result.prompts = [...known.values()];
}

/** Sorts the cases in the order of the file, because they end in any order. */
function inOrder(judged: JudgedCase[], { cases }: Dataset): JudgedCase[] {
  const names = cases.map(nameOf);
  return judged.toSorted((a, b) => names.indexOf(a.id) - names.indexOf(b.id));
}

function versionKey({ revision_id, filename, sha256 }: PromptVersion): string {
  return `${revision_id}/${filename}/${sha256}`;
}

function endOf(error: unknown): Pick<Result, 'status' | 'error'> {
  if (!(error instanceof SkeinError))
    return { status: 'failed', error: 'An unexpected error. See the log of the service' };
  const isStop = error.code === 'SHUTTING_DOWN' || error.code === 'RUN_CANCELLED';
  return { status: isStop ? 'stopped' : 'failed', error: error.message };
}
