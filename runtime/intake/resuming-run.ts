/** Creates the run that answers an interrupted thread. */
import type { Run } from '../../state/threads/runs.ts';
import type { PendingInterrupt, Thread } from '../../state/threads/threads.ts';
import { turnUsage } from '../../state/usage/turn-usage.ts';
import type { LimitsOptions } from '../options.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import { answersTo, answerText } from './answer.ts';
import { recursionLimitOf } from './graph-request.ts';
import { type RequestedRun, requestedRun } from './new-run.ts';
import type { ResumeRequest } from './turn.ts';

type WaitingThread = Thread & { interrupt: PendingInterrupt };

/** Continues the turn of `interrupted`, with the same question and the same message id. */
export function resumingRun(request: ResumeRequest, thread: WaitingThread, interrupted: Run): RequestedRun {
  const { requestId, traceparent, whole, response, interruptBefore, interruptAfter } = request;
  const { runId } = thread.interrupt;
  return {
    runId: Bun.randomUUIDv7(),
    messageId: interrupted.messageId,
    owner: thread.owner,
    threadId: thread.threadId,
    title: thread.title,
    workflow: interrupted.workflow,
    request: {
      ...interrupted.request,
      ...(interruptBefore && { interruptBefore }),
      ...(interruptAfter && { interruptAfter }),
      requestId,
      traceparent,
      supersedes: undefined,
      whole: whole ? true : undefined,
      tokenBudget: budgetLeft(interrupted),
      checkpointId: undefined,
      protocol: undefined,
      response,
      resume: {
        ...answersTo(thread.interrupt, request),
        ...(request.step && { step: true }),
        runId,
        used: turnUsage(interrupted),
      },
    },
    createdAt: Date.now(),
  };
}

/** The same if the run that raised the interrupt was deleted: its state still exists, but its request doesn't. */
export function resumingDeletedRun(
  request: ResumeRequest,
  { owner, threadId, title, interrupt }: WaitingThread,
  workflow: RunnableWorkflow,
  limits: LimitsOptions,
): RequestedRun {
  const { requestId, traceparent, whole, response, value, values } = request;
  const answers = answersTo(interrupt, request);
  const prompt = answerText(value ?? values);
  const call = { owner, threadId, requestId, traceparent, whole, response, prompt, workflow: workflow.name };
  const { interruptBefore, interruptAfter, step } = request;
  const graph = {
    ...{ userPrompt: prompt, recursionLimit: recursionLimitOf(undefined, workflow, limits) },
    ...(interruptBefore && { interruptBefore }),
    ...(interruptAfter && { interruptAfter }),
  };
  const run = requestedRun({ ...call, strategy: 'reject' }, graph, workflow, limits);
  const used = { inputTokens: 0, outputTokens: 0 };
  const resume = { ...answers, ...(step && { step }), runId: interrupt.runId, used };
  return { ...run, title, request: { ...run.request, resume } };
}

function budgetLeft({ usage, request: { tokenBudget } }: Run): number | undefined {
  return tokenBudget === undefined ? undefined : tokenBudget - usage.inputTokens - usage.outputTokens;
}
