/** The span of a run in this process, from its start to its end, and its child spans. */
import type { RunSpans } from '../../../graphs/authoring/run/run-spans.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { Claim } from '../../../state/threads/coordination.ts';
import type { NewEntry } from '../../../state/threads/events.ts';
import { isInterrupted, type Runs, type TurnResult, type Usage } from '../../../state/threads/runs.ts';
import { spoken } from '../../../tools/telemetry/chat-span.ts';
import type { Span, Tracing } from '../../../tools/telemetry/tracing.ts';
import type { AcceptedRun } from '../accepted-run.ts';
import { type TaskSpans, taskSpans } from './task-spans.ts';

export interface RunTracing {
  /** Starts the span and calls `work` within it. */
  within<T>(claim: Pick<Claim, 'lease'>, work: () => Promise<T>): Promise<T>;
  /** The trace context for the graph; undefined before the span has started. */
  context(): { traceparent: string; spans: RunSpans } | undefined;
  note(entry: NewEntry): void;
  succeeded(result: TurnResult): void;
  /** Ends the span. Without an error, the run continues in another process; `isReleased`: it continues at the next start. */
  over(error: unknown, isReleased: boolean): void;
}

export interface TracedRun {
  run: AcceptedRun;
  runs: Pick<Runs, 'find'>;
  /** Read when the span ends. */
  usage: Usage;
}

export function runTracing(tracing: Tracing, { run, runs, usage }: TracedRun): RunTracing {
  let begun: { span: Span; spans: TaskSpans } | undefined;

  function end(status: string, { error, answer = '' }: { error?: string; answer?: string } = {}): void {
    if (!begun) return;
    const { span, spans } = begun;
    begun = undefined;
    spans.close(error);
    span.set({
      'skein.run.status': status,
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'gen_ai.output.messages': tracing.content && answer !== '' ? spoken('assistant', answer) : undefined,
    });
    span.end(error);
  }

  return {
    async within({ lease }, work) {
      const span = beginRun(tracing, run, {
        claim: lease.number,
        interrupted: await traceOfInterrupted(run, runs),
      });
      begun = { span, spans: taskSpans(tracing, span) };
      return tracing.within(span, work);
    },
    context: () => begun && { traceparent: begun.span.traceparent, spans: begun.spans },
    note: (entry) => begun?.spans.note(entry),
    succeeded: (result) =>
      end(isInterrupted(result) ? 'interrupted' : 'succeeded', { answer: result.agentResponse }),
    over(error, isReleased) {
      if (isReleased) return end('released');
      if (error === undefined) return end('lost');
      const code = error instanceof SkeinError ? error.code : 'INTERNAL_ERROR';
      return code === 'RUN_CANCELLED' ? end('cancelled') : end('failed', { error: code });
    },
  };
}

/** The trace of the run whose interrupt this run answers. */
async function traceOfInterrupted({ owner, request }: AcceptedRun, runs: TracedRun['runs']) {
  if (!request.resume) return undefined;
  const asking = await runs.find(owner, request.resume.runId).catch(() => undefined);
  return asking?.request.traceparent;
}

function beginRun(
  tracing: Tracing,
  { runId, threadId, workflow, owner, request }: AcceptedRun,
  { claim, interrupted }: { claim: number; interrupted: string | undefined },
): Span {
  const { traceparent, userPrompt, resume } = request;
  const goesOn = claim > 1;
  // The earlier attempt is in the same trace, below the span of another process.
  const earlier = goesOn ? traceparent : undefined;
  return tracing.begin(`invoke_workflow ${workflow}`, {
    parent: traceparent,
    links: [interrupted, earlier].filter((link) => link !== undefined),
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.agent.name': workflow,
      'gen_ai.workflow.name': workflow,
      'gen_ai.input.messages': tracing.content && userPrompt !== '' ? spoken('user', userPrompt) : undefined,
      'user.id': owner,
      'skein.run.claim': claim,
      'skein.run.recovered': goesOn,
      'skein.run.resumes': resume?.runId,
    },
    inherited: { 'gen_ai.conversation.id': threadId, 'skein.run.id': runId },
  });
}
