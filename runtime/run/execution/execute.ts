/** Executes a turn: from the thread's head, or after a crash from the run's own checkpoint. */
import { type Opened, openedInRun } from '../../../graphs/authoring/run/opened.ts';
import { assertCanContinue } from './assert-can-continue.ts';
import { executeAdopted } from './execute-adopted.ts';
import { executeWritten } from './execute-written.ts';
import type { Executed, ExecuteParts, Execution } from './execution.ts';
import { refuseGoneCheckpoint } from './protocol-run.ts';

/** Throws the error that stopped the turn: a SkeinError if the cause is known. */
export async function execute(parts: ExecuteParts, execution: Execution): Promise<Executed> {
  const { opened, close } = openedInRun();
  return executeWith(parts, execution, opened).finally(close);
}

async function executeWith(parts: ExecuteParts, execution: Execution, opened: Opened): Promise<Executed> {
  const { run, thread, saver, workflow, checkpoint } = execution;
  const goesOn = checkpoint !== undefined || run.request.resume !== undefined;
  const checkpointed = goesOn
    ? await saver.getTuple({ configurable: { thread_id: thread.threadId } })
    : undefined;
  if (checkpointed) assertCanContinue(checkpointed, workflow);
  await refuseGoneCheckpoint(execution);
  const { adopted } = workflow;
  if (adopted) return executeAdopted(parts, { ...execution, adopted }, opened);
  return executeWritten(parts, execution, opened);
}
