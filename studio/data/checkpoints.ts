/** A thread's checkpoints, and the forks that start from them. */
import { api, ask } from '../service.ts';
import { given } from './threads.ts';

const at = (thread: string) => api.threads({ thread_id: encodeURIComponent(thread) });

/** Newest first. */
export const listCheckpoints = (thread: string, cursor?: string) =>
  ask(at(thread).checkpoints.get({ query: { limit: '100', ...given({ cursor }) } }));

export type CheckpointEntry = Awaited<ReturnType<typeof listCheckpoints>>['checkpoints'][number];

export const readCheckpoint = (thread: string, checkpoint: string) =>
  ask(
    at(thread)
      .checkpoints({ checkpoint_id: encodeURIComponent(checkpoint) })
      .get(),
  );

export type Checkpoint = Awaited<ReturnType<typeof readCheckpoint>>;

/** A new thread that starts from the checkpoint, with `values` merged into its state. */
export const forkThread = (thread: string, checkpoint: string, values: Record<string, unknown>) =>
  ask(at(thread).fork.post({ checkpoint_id: checkpoint, values }));
