/** A thread's checkpoints, and the forks that start from them. */

import { accepted, api, ask, SERVICE } from '../service.ts';
import { sessionFetch } from '../session.ts';
import { stopsOf } from './breakpoints.ts';
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

/** A new thread that starts from the checkpoint, with `replace` in place of what channels have, and runs on. */
export const runFork = (
  { thread, workflow, checkpoint }: { thread: string; workflow: string; checkpoint: string },
  replace: Record<string, unknown>,
) => ask(at(thread).fork.post({ checkpoint_id: checkpoint, replace, run: true, ...stopsOf(workflow) }));

/** Goes on with the nodes that come next in the thread's state, without a message. */
export async function runOn(thread: string, workflow: string): Promise<void> {
  const path = `${SERVICE}/threads/${encodeURIComponent(thread)}/runs`;
  const asked = { assistant_id: workflow, input: null, stream_mode: 'messages-tuple' };
  const body = JSON.stringify({ ...asked, ...stopsOf(workflow) });
  const headers = { 'content-type': 'application/json' };
  await accepted(await sessionFetch(path, { method: 'POST', headers, body }));
}

/** The nodes that come next in the thread's newest state. */
export async function nextNodes(thread: string): Promise<string[]> {
  const { checkpoints } = await ask(at(thread).checkpoints.get({ query: { limit: '1' } }));
  return checkpoints[0]?.next ?? [];
}
