/** Dry runs of a prompt file: a caller's last turns are answered again with another text of it, and nothing of that is kept. */
import type { Logger } from 'pino';
import type { PromptName } from '../../prompts/names.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Runs } from '../../state/runs.ts';
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
  /** How many of the last turns. */
  turns: number;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
}

export interface DryRuns extends Pick<TrialQueue, 'settled' | 'stop'> {
  /**
   * Newest first; a turn that fails says so and does not stop the others. Throws RUN_TIMEOUT, BUDGET_EXCEEDED,
   * RUN_CANCELLED and SHUTTING_DOWN for all of them, OVERLOADED while another one of the caller is under way, and
   * INVALID_REQUEST where this process executes nothing.
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
    // Of summaries no run says which file they rendered.
    const filename = name.file === SUMMARY ? undefined : name.file;
    const turns = await earlier({ owner, workflows: names, filename, most: request.turns });
    const sandboxes = new Map<string, Promise<Sandbox>>();
    for (const workflow of workflows)
      if (turns.some(({ run }) => run.workflow === workflow.name))
        sandboxes.set(workflow.name, openSandbox(workflow, { ...name, content }));
    await Promise.all(sandboxes.values());
    const meter = tokenMeter(limits.run_tokens);
    const trial: Trial = { signal, meter, requestId, traceparent };
    // A thread may be deleted meanwhile: then nothing of it is sent to a model, or told, any more.
    const isThere = async ({ run }: EarlierTurn) => (await runs.find(owner, run.runId)) !== undefined;
    const answers = await mapConcurrently(turns, async (turn) => {
      signal.throwIfAborted();
      if (!(await isThere(turn))) return [];
      const sandbox = await sandboxes.get(turn.run.workflow);
      if (!sandbox) throw new Error(`a turn of ${turn.run.workflow} was not asked for`);
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
