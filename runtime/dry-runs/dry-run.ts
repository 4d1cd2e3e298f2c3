/** Dry runs of a prompt file: runs a caller's latest turns again with a draft of the file, and stores nothing. */
import type { Logger } from 'pino';
import type { PromptName } from '../../prompts/names.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Runs } from '../../state/threads/runs.ts';
import type { LimitsOptions } from '../options.ts';
import { tokenMeter } from '../run/meter.ts';
import { mapConcurrently } from '../trials/map-concurrently.ts';
import { type TrialQueue, type TrialQueueParts, trialQueue } from '../trials/trial-queue.ts';
import type { RegisteredWorkflow } from '../workflows/registered.ts';
import type { Registry } from '../workflows/registry.ts';
import type { OpenSandbox, Sandbox } from '../workflows/sandbox.ts';
import type { EarlierTurn, EarlierTurns } from './earlier-turns.ts';
import { type AnsweredTurn, type RerunTurn, type Trial, total } from './rerun-turn.ts';

interface DryRunRequest extends Pick<Trial, 'requestId' | 'traceparent'> {
  owner: string;
  name: PromptName;
  content: string;
  /** The number of turns. */
  turns: number;
  /** Aborts when the caller disconnects. */
  signal: AbortSignal;
}

export interface DryRuns extends Pick<TrialQueue, 'settled' | 'stop'> {
  /**
   * Returns the turns, newest first. A failed turn has its error and doesn't stop the others. Throws RUN_TIMEOUT,
   * BUDGET_EXCEEDED, RUN_CANCELLED, SHUTTING_DOWN, OVERLOADED if another dry run of the caller is in progress, and
   * INVALID_REQUEST if this process doesn't execute runs.
   */
  run(request: DryRunRequest): Promise<AnsweredTurn[]>;
}

export interface DryRunParts {
  earlier: EarlierTurns;
  runs: Pick<Runs, 'find'>;
  rerunTurn: RerunTurn;
  openSandbox: OpenSandbox;
  registry: Registry;
  limits: LimitsOptions;
  slots: TrialQueueParts['slots'];
  log: Logger;
}

export function dryRuns(parts: DryRunParts): DryRuns {
  const { earlier, runs, rerunTurn, openSandbox, registry, limits, slots, log } = parts;
  const room = trialQueue({ what: 'dry run', purpose: 'try a prompt file', limits, slots });

  async function answered(request: DryRunRequest, signal: AbortSignal): Promise<AnsweredTurn[]> {
    const { owner, name, content, requestId, traceparent } = request;
    const workflows = usersOf(name.file, registry);
    const names = workflows.map((workflow) => workflow.name);
    // Runs don't record the prompt file of summaries, so every turn of the workflows qualifies.
    const filename = name.file === SUMMARY ? undefined : name.file;
    const turns = await earlier({ owner, workflows: names, filename, most: request.turns });
    const sandboxes = new Map<string, Promise<Sandbox>>();
    for (const workflow of workflows)
      if (turns.some(({ run }) => run.workflow === workflow.name))
        sandboxes.set(workflow.name, openSandbox(workflow, { ...name, content }));
    await Promise.all(sandboxes.values());
    const meter = tokenMeter(limits.run_tokens);
    const trial: Trial = { signal, meter, requestId, traceparent };
    // If a thread is deleted in the meantime, its text must no longer be sent to a model or returned.
    const isThere = async ({ run }: EarlierTurn) => (await runs.find(owner, run.runId)) !== undefined;
    const answers = await mapConcurrently(turns, async (turn) => {
      signal.throwIfAborted();
      if (!(await isThere(turn))) return [];
      const sandbox = await sandboxes.get(turn.run.workflow);
      if (!sandbox) throw new Error(`no sandbox for the workflow ${turn.run.workflow}`);
      const again = await rerunTurn(turn, sandbox, trial);
      return (await isThere(turn)) ? [again] : [];
    });
    log.info({ owner, ...name, turns: turns.length, tokens: total(meter.usage) }, 'dry run');
    return answers.flat();
  }

  return {
    run: (request) => room.run(request, (signal) => answered(request, signal)),
    settled: room.settled,
    stop: room.stop,
  };
}

/** The workflows that use the file. Throws INVALID_REQUEST if all of them have external side effects. */
function usersOf(file: string, { workflows }: Registry): RegisteredWorkflow[] {
  const users = workflows.filter(
    ({ name, graph }) => graph && (file.startsWith(`${name}.`) || file === SUMMARY),
  );
  const harmless = users.filter(({ changesOutside }) => !changesOutside);
  const [refused] = users;
  if (harmless.length > 0 || !refused) return harmless;
  throw new SkeinError('INVALID_REQUEST', {
    detail: `the workflow '${refused.name}' changes something outside of the conversation, so it can't be repeated in a dry run`,
  });
}

/** The prompt file of summaries, which every workflow uses when a thread's window is cut. */
const SUMMARY = 'conversation.summary.jinja';
