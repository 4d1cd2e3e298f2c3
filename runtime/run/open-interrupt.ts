/** Checks and drops the open interrupt of a thread when its next run starts. */

import type { Lease } from '../../state/cluster/lease.ts';
import { SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { Output } from '../../state/threads/conversation.ts';
import type { RunRequest } from '../../state/threads/runs.ts';
import type { Thread } from '../../state/threads/threads.ts';
import { waitsForPerson } from './refusals.ts';

/** Throws THREAD_BUSY if a new turn meets an open interrupt, and NOT_INTERRUPTED if an answer is for another one. */
export function refuseWrongInterrupt({ interrupt }: Thread, resume: RunRequest['resume']): void {
  if (interrupt && !resume) throw waitsForPerson(interrupt.interrupts[0]?.value);
  if (resume && interrupt?.runId !== resume.runId) throw new SkeinError('NOT_INTERRUPTED');
}

/** Whether the run answers an interrupt, in the chat API or LangGraph's protocol. */
export function answersInterrupt({ resume, protocol }: RunRequest): boolean {
  return resume !== undefined || protocol?.command?.resume !== undefined;
}

/** Whether the run continues the work of an earlier run. */
export function continuesRun({ resume, protocol, input }: RunRequest): boolean {
  if (!protocol) return resume !== undefined;
  return protocol.command !== undefined || (input ?? null) === null;
}

/** Drops the interrupt and returns the updated thread. Throws THREAD_NOT_FOUND. */
export async function withoutInterrupt(
  threads: State['threads'],
  threadKey: string,
  lease: Lease,
): Promise<Thread> {
  await threads.dropInterrupt(threadKey, undefined, lease);
  const thread = await threads.byKey(threadKey);
  if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
  return thread;
}

/** The outputs of the turn from before its interrupt. */
export async function outputsBefore(
  runs: State['runs'],
  owner: string,
  { resume }: RunRequest,
): Promise<Output[]> {
  if (!resume) return [];
  const interruptedRun = await runs.find(owner, resume.runId);
  return interruptedRun?.result?.outputs ?? [];
}
