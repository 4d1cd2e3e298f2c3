/** The interrupt that a thread waits for, as the next run on the thread finds it. */
import type { Output } from '../../state/conversation.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Lease } from '../../state/lease.ts';
import type { RunRequest } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { Thread } from '../../state/threads.ts';
import { waitsForPerson } from './refusals.ts';

/** A turn must find no open interrupt, and an answer its own one. */
export function refuseWrongInterrupt({ interrupt }: Thread, resume: RunRequest['resume']): void {
  if (interrupt && !resume) throw waitsForPerson(interrupt.interrupts[0]?.value);
  if (resume && interrupt?.runId !== resume.runId) throw new SkeinError('NOT_INTERRUPTED');
}

/** Whether the run brings a person's answer, by either protocol. */
export function answersInterrupt({ resume, protocol }: RunRequest): boolean {
  return resume !== undefined || protocol?.command?.resume !== undefined;
}

/** Whether the run goes on with what another has begun. */
export function continuesRun({ resume, protocol, input }: RunRequest): boolean {
  if (!protocol) return resume !== undefined;
  return protocol.command !== undefined || (input ?? null) === null;
}

/** Drops the interrupt; returns the thread without it. */
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

/** The turn's outputs from before it asked a person. */
export async function outputsBefore(
  runs: State['runs'],
  owner: string,
  { resume }: RunRequest,
): Promise<Output[]> {
  if (!resume) return [];
  const asked = await runs.find(owner, resume.runId);
  return asked?.result?.outputs ?? [];
}
