/** A thread's checkpoints, and forks from them. */
import { accepted, api, ask, SERVICE } from '../../service/service.ts';
import { sessionFetch } from '../../session/session.ts';
import { interruptOptions } from './breakpoints.ts';
import { omitEmpty } from './threads.ts';

const at = (thread: string) => api.threads({ thread_id: encodeURIComponent(thread) });

/** Newest first. */
export const listCheckpoints = (thread: string, cursor?: string) =>
  ask(at(thread).checkpoints.get({ query: { limit: '100', ...omitEmpty({ cursor }) } }));

export type CheckpointEntry = Awaited<ReturnType<typeof listCheckpoints>>['checkpoints'][number];

export const readCheckpoint = (thread: string, checkpoint: string) =>
  ask(
    at(thread)
      .checkpoints({ checkpoint_id: encodeURIComponent(checkpoint) })
      .get(),
  );

export type Checkpoint = Awaited<ReturnType<typeof readCheckpoint>>;

/** Forks the thread at a checkpoint, replaces the values of the channels in `replace`, and runs the next nodes. */
export const runFork = (
  { thread, workflow, checkpoint }: { thread: string; workflow: string; checkpoint: string },
  replace: Record<string, unknown>,
) =>
  ask(at(thread).fork.post({ checkpoint_id: checkpoint, replace, run: true, ...interruptOptions(workflow) }));

/** Continues the thread with the next nodes of its state, without a message. */
export async function continueThread(thread: string, workflow: string): Promise<void> {
  const path = `${SERVICE}/threads/${encodeURIComponent(thread)}/runs`;
  const request = { assistant_id: workflow, input: null, stream_mode: 'messages-tuple' };
  const body = JSON.stringify({ ...request, ...interruptOptions(workflow) });
  const headers = { 'content-type': 'application/json' };
  await accepted(await sessionFetch(path, { method: 'POST', headers, body }));
}

/** The next nodes of the thread's latest state. */
export async function nextNodes(thread: string): Promise<string[]> {
  const { checkpoints } = await ask(at(thread).checkpoints.get({ query: { limit: '1' } }));
  return checkpoints[0]?.next ?? [];
}
