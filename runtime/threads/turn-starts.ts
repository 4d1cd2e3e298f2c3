/** Finds the checkpoints where turns of a thread began, for a caller that repeats one of them. */

import { SkeinError } from '../../state/errors.ts';
import type { Archive, StoredThread } from '../../state/threads/archive.ts';
import type { Run } from '../../state/threads/runs.ts';

export type TurnStartsArchive = Pick<Archive, 'runs' | 'checkpoints'>;

const PAGE = 50;

/**
 * Returns the checkpoint with which the turn after the last of these messages began, or that of the thread's first turn if
 * it has none of the messages. Returns undefined if no turn follows: then continue from the thread's head. Throws
 * CHECKPOINT_NOT_FOUND if the checkpoint was deleted by retention.
 */
export async function startAfter(
  archive: TurnStartsArchive,
  thread: Pick<StoredThread, 'owner' | 'key'>,
  messageIds: ReadonlySet<string>,
): Promise<string | undefined> {
  let next: Run | undefined;
  for await (const run of turnsOf(archive, thread)) {
    if (messageIds.has(run.messageId)) break;
    if (!run.request.resume) next = run;
  }
  return next && inputOf(archive, next);
}

/** The runs that contributed to the thread's memory, newest first. */
async function* turnsOf(
  { runs }: TurnStartsArchive,
  { owner, key }: Pick<StoredThread, 'owner' | 'key'>,
): AsyncGenerator<Run> {
  let after: [string] | undefined;
  for (;;) {
    const { items, next } = await runs({ owner, thread: key }, { limit: PAGE, after });
    yield* items.filter(({ status }) => status === 'succeeded' || status === 'interrupted');
    if (!next) return;
    after = [String(next[0])];
  }
}

/** The checkpoint of the thread's state before the turn's own input. */
async function inputOf({ checkpoints }: TurnStartsArchive, { threadKey, runId }: Run): Promise<string> {
  let after: [string] | undefined;
  for (;;) {
    const { items, next } = await checkpoints.list(threadKey, { limit: PAGE, after }, runId);
    const input = items.find(({ namespace, source }) => namespace === '' && source === 'input');
    if (input) return input.checkpointId;
    if (!next)
      throw new SkeinError('CHECKPOINT_NOT_FOUND', {
        detail: 'The checkpoint from which the turn started is no longer kept',
      });
    after = [String(next[0])];
  }
}
