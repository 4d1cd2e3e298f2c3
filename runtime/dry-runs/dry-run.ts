/** Dry runs of a prompt file: a caller's last turns are answered again with another text of it, and nothing of that is kept. */
import type { Logger } from 'pino';
import type { PromptName } from '../../prompts/names.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Runs } from '../../state/runs.ts';
import type { LimitsOptions } from '../options.ts';
import type { Place, Slots } from '../queue/slots.ts';
import { deadline, patience } from '../queue/time-limits.ts';
import { tokenMeter } from '../run/meter.ts';
import type { RegisteredWorkflow } from '../workflows/registered.ts';
import type { Registry } from '../workflows/registry.ts';
import type { Rehearsal, Rehearse } from '../workflows/sandbox.ts';
import { type AnswerAgain, type AnsweredTurn, type Trial, total } from './answer-again.ts';
import type { EarlierTurn, EarlierTurns } from './earlier-turns.ts';

export interface DryRunRequest extends Pick<Trial, 'requestId' | 'traceparent'> {
  owner: string;
  name: PromptName;
  content: string;
  /** How many of the last turns. */
  turns: number;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
}

export interface DryRuns {
  /**
   * Newest first; a turn that fails says so and does not stop the others. Throws RUN_TIMEOUT, BUDGET_EXCEEDED,
   * RUN_CANCELLED and SHUTTING_DOWN for all of them, OVERLOADED while another one of the caller is under way, and
   * INVALID_REQUEST where this process executes nothing.
   */
  run(request: DryRunRequest): Promise<AnsweredTurn[]>;
  /** Resolves when none is under way. */
  settled(): Promise<unknown>;
  stop(): void;
}

export interface DryRunParts {
  earlier: EarlierTurns;
  runs: Pick<Runs, 'find'>;
  answer: AnswerAgain;
  rehearse: Rehearse;
  registry: Registry;
  limits: LimitsOptions;
  slots: Pick<Slots, 'enter' | 'waiting' | 'most'>;
  log: Logger;
}

/** Turns of one dry run that are answered at the same time. */
const AT_ONCE = 4;

export function dryRuns(parts: DryRunParts): DryRuns {
  const { earlier, runs, answer, rehearse, registry, limits, slots, log } = parts;
  const active = new Map<AbortController, Promise<unknown>>();
  const owners = new Set<string>();

  async function run(request: DryRunRequest): Promise<AnsweredTurn[]> {
    const place = placeOf(request.owner);
    const stopper = new AbortController();
    const leave = () => stopper.abort(new SkeinError('RUN_CANCELLED'));
    if (request.signal.aborted) leave();
    request.signal.addEventListener('abort', leave, { once: true });
    const ended = inPlace(place.ready, request, stopper).finally(() => {
      request.signal.removeEventListener('abort', leave);
      active.delete(stopper);
      place.leave();
    });
    active.set(stopper, ended);
    return ended;
  }

  /** One at a time for each caller; it takes the place of one run among those of all. */
  function placeOf(owner: string): Place {
    if (slots.most === 0) throw new SkeinError('INVALID_REQUEST', NO_ROOM);
    if (owners.has(owner)) {
      const message = 'Another dry run of yours is under way, try again when it has ended';
      throw new SkeinError('OVERLOADED', { message, retryAfter: 5 });
    }
    if (slots.waiting() >= limits.queued_runs) throw new SkeinError('OVERLOADED', { retryAfter: 1 });
    owners.add(owner);
    const place = slots.enter();
    return {
      ...place,
      leave() {
        owners.delete(owner);
        place.leave();
      },
    };
  }

  async function inPlace(
    ready: Promise<void>,
    request: DryRunRequest,
    stopper: AbortController,
  ): Promise<AnsweredTurn[]> {
    await patience(ready, limits.queue_seconds, stopper.signal);
    const timer = deadline(stopper, limits.run_seconds);
    try {
      return await answered(request, stopper.signal);
    } catch (error) {
      // What else is under way must not go on for nobody.
      stopper.abort(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async function answered(request: DryRunRequest, signal: AbortSignal): Promise<AnsweredTurn[]> {
    const { owner, name, content, requestId, traceparent } = request;
    const workflows = usersOf(name.file, registry);
    const names = workflows.map((workflow) => workflow.name);
    // Of summaries no run says which file they rendered.
    const filename = name.file === SUMMARY ? undefined : name.file;
    const turns = await earlier({ owner, workflows: names, filename, most: request.turns });
    const rehearsed = new Map<string, Promise<Rehearsal>>();
    for (const workflow of workflows)
      if (turns.some(({ run }) => run.workflow === workflow.name))
        rehearsed.set(workflow.name, rehearse(workflow, { ...name, content }));
    await Promise.all(rehearsed.values());
    const meter = tokenMeter(limits.run_tokens);
    const trial: Trial = { signal, meter, requestId, traceparent };
    // A thread may be deleted meanwhile: then nothing of it is sent to a model, or told, any more.
    const isThere = async ({ run }: EarlierTurn) => (await runs.find(owner, run.runId)) !== undefined;
    const answers = await eachOf(turns, async (turn) => {
      signal.throwIfAborted();
      if (!(await isThere(turn))) return [];
      const rehearsal = await rehearsed.get(turn.run.workflow);
      if (!rehearsal) throw new Error(`a turn of ${turn.run.workflow} was not asked for`);
      const again = await answer(turn, rehearsal, trial);
      return (await isThere(turn)) ? [again] : [];
    });
    log.info({ owner, ...name, turns: turns.length, tokens: total(meter.usage) }, 'dry run');
    return answers;
  }

  return {
    run,
    settled: () => Promise.allSettled(active.values()),
    stop() {
      for (const stopper of active.keys()) stopper.abort(new SkeinError('SHUTTING_DOWN', { retryAfter: 5 }));
    },
  };
}

const NO_ROOM = {
  message: 'This server executes nothing, so it cannot try a prompt file',
  detail: 'cluster.role is front; ask a server with the role all',
};

/** The workflows whose calls use the file. Throws INVALID_REQUEST where none of them may be tried. */
function usersOf(file: string, { workflows }: Registry): RegisteredWorkflow[] {
  const users = workflows.filter(
    ({ name, graph }) => graph && (file.startsWith(`${name}.`) || file === SUMMARY),
  );
  const harmless = users.filter(({ changesOutside }) => !changesOutside);
  const [refused] = users;
  if (harmless.length > 0 || !refused) return harmless;
  throw new SkeinError('INVALID_REQUEST', {
    detail: `the workflow '${refused.name}' changes something outside of the conversation, so it is not run for a trial`,
  });
}

/** Used by every workflow, where a thread's window is cut. */
const SUMMARY = 'conversation.summary.jinja';

/** Some at a time, in order; gives all that the work gives, in the same order. */
async function eachOf(
  turns: EarlierTurn[],
  work: (turn: EarlierTurn) => Promise<AnsweredTurn[]>,
): Promise<AnsweredTurn[]> {
  const answers: AnsweredTurn[][] = [];
  const left = turns.entries();
  const worker = async () => {
    for (const [index, turn] of left) answers[index] = await work(turn);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers.flat();
}
