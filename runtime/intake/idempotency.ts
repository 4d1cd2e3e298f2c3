/** Idempotency: the same key and body of an owner gives the run it gave before, also while that is being accepted. */
import { SkeinError } from '../../state/errors.ts';
import type { IdempotencyKeys } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { ActiveRun, EndedRun } from '../run/active-run.ts';
import { storedEnd } from '../run/ended-run.ts';
import type { Turn } from './turn.ts';

export interface Keyed {
  owner: string;
  /** The digest tells whether the same key comes with another body. */
  idempotency?: { key: string; digest: string } | undefined;
}

interface Attempt {
  digest: string;
  turn: Promise<Turn>;
}

export interface RepeatParts {
  keys: IdempotencyKeys;
  runs: State['runs'];
  active: Map<string, ActiveRun>;
}

/** Wraps what accepts a turn. Only accepted turns are remembered: what was refused is tried again. */
export function repeats({ keys, runs, active }: RepeatParts) {
  const attempts = new Map<string, Attempt>();

  return async function once(request: Keyed, accept: () => Promise<Turn>): Promise<Turn> {
    if (!request.idempotency) return accept();
    const { key, digest } = request.idempotency;
    const name = JSON.stringify([request.owner, key]);
    for (let going = attempts.get(name); going; going = attempts.get(name)) {
      if (going.digest !== digest) throw new SkeinError('IDEMPOTENCY_MISMATCH');
      const turn = await going.turn.catch(() => undefined);
      if (turn) return repeated(turn, turn.ended);
    }
    const turn = first(request.owner, { key, digest }, accept);
    attempts.set(name, { digest, turn });
    try {
      return await turn;
    } finally {
      attempts.delete(name);
    }
  };

  async function first(
    owner: string,
    { key, digest }: { key: string; digest: string },
    accept: () => Promise<Turn>,
  ): Promise<Turn> {
    const earlier = await keys.find(owner, key);
    if (!earlier) return accept();
    if (earlier.digest !== digest) throw new SkeinError('IDEMPOTENCY_MISMATCH');
    const run = await runs.find(owner, earlier.runId);
    if (!run) throw new SkeinError('RUN_NOT_FOUND');
    return repeated(run, active.get(run.runId)?.ended ?? storedEnd(runs, owner, run.runId));
  }
}

/** A repeat does not own the run: that its caller goes away cancels nothing. */
function repeated(
  { runId, threadId, messageId }: Pick<Turn, 'runId' | 'threadId' | 'messageId'>,
  ended: Promise<EndedRun>,
): Turn {
  ended.catch(() => {});
  return { runId, threadId, messageId, replayed: true, ended, cancel: () => {} };
}
