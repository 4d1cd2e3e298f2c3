/** Starts the run of a cron on behalf of its owner, the same way as a run that is requested. */
import { ElysiaCustomStatusResponse } from 'elysia';
import type { Cron, CronRun } from '../../../state/crons.ts';
import { SkeinError } from '../../../state/errors.ts';
import { errorType } from '../../../tools/telemetry/tracing.ts';
import { remember } from '../../authentication/identity.ts';
import type { Services } from '../../services.ts';
import { startRun } from '../runs/intake.ts';
import type { RunCreate } from '../runs/run-create.ts';

export interface StartedCronRun extends CronRun {
  ended: Promise<unknown>;
}

/**
 * `at`: the time that it was due at. A run starts once for each, because the time is its idempotency key: if the process
 * ends before the cron has moved on, the next one finds the run. Throws what a request would be refused with.
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
