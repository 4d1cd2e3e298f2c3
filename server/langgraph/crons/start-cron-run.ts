/** Starts the run of a cron on behalf of its owner, in the same way as a requested run. */
import { ElysiaCustomStatusResponse } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import type { Cron, CronRun } from '../../../state/resources/crons.ts';
import { errorType } from '../../../tools/telemetry/tracing.ts';
import { remember } from '../../authentication/identity.ts';
import type { Services } from '../../services.ts';
import type { RunCreate } from '../runs/run-create.ts';
import { startRun } from '../runs/start-run.ts';

export interface StartedCronRun extends CronRun {
  ended: Promise<unknown>;
}

/**
 * `at`: when the run was due, in milliseconds since 1970. Each due time starts only one run, because the time is the
 * idempotency key: if the process ends before the cron's next time is stored, the next process finds the run. Throws the
 * errors of a run request, and THREAD_BUSY.
 */
export async function startCronRun(
  services: Services,
  { cronId, owner, ownerName, assistantId, threadId, onRunCompleted, payload, metadata }: Cron,
  at: number,
): Promise<StartedCronRun> {
  const span = services.tracing?.begin('start cron run', {
    kind: 'producer',
    attributes: { 'skein.cron.id': cronId, 'gen_ai.conversation.id': threadId ?? undefined },
  });
  const trace = span && { traceparent: span.traceparent };
  const request = new Request('http://localhost/runs');
  remember(request, { owner, name: ownerName, expiresAt: null });
  const { turn } = await startRun(services, threadId ?? undefined, {
    request,
    set: { headers: { 'x-request-id': Bun.randomUUIDv7(), ...trace } },
    body: {
      ...(payload as RunCreate),
      assistant_id: assistantId,
      on_completion: onRunCompleted,
      metadata: { ...metadata, cron_id: cronId },
    },
    idempotency: { key: `cron:${cronId}:${at}`, digest: 'cron' },
  }).catch((error: unknown) => {
    span?.end(errorType(error));
    const isBusy = error instanceof ElysiaCustomStatusResponse;
    throw isBusy ? new SkeinError('THREAD_BUSY', { detail: String(error.response) }) : error;
  });
  span?.end();
  const isTemporary = threadId === null && onRunCompleted === 'delete';
  return { runId: turn.runId, threadId: turn.threadId, isTemporary, ended: turn.ended };
}
