/** Builds the body of a webhook for an ended run: the run's fields, the thread's values, and the error. */
import type { WebhookDelivery } from '../../../state/resources/webhooks.ts';
import type { Services } from '../../services.ts';
import { runBody } from './run-body.ts';
import { findThrown } from './run-end.ts';

type Parts = Pick<Services, 'archive' | 'state' | 'states' | 'log'>;

/** `at`: when the webhook is sent, in milliseconds since 1970. */
export async function webhookBody(parts: Parts, delivery: WebhookDelivery, at: number): Promise<string> {
  const { run } = delivery;
  const { startedAt, createdAt, finishedAt } = run;
  const error = await errorOf(parts, delivery);
  return JSON.stringify({
    ...runBody(run),
    run_started_at: new Date(startedAt ?? createdAt).toISOString(),
    run_ended_at: new Date(finishedAt ?? at).toISOString(),
    webhook_sent_at: new Date(at).toISOString(),
    values: await valuesOf(parts, delivery),
    ...(error !== undefined && { error }),
  });
}

/** The values after the run; null if they can't be read, for example because the graph no longer exists. */
async function valuesOf({ archive, states, log }: Parts, { run, head }: WebhookDelivery): Promise<unknown> {
  if (head === null) return {};
  try {
    const thread = await archive.threads.find(run.owner, run.threadId);
    return thread?.key === run.threadKey ? await states.values(thread, head) : null;
  } catch (err) {
    log.warn({ err, run_id: run.runId }, 'the values for a webhook cannot be read');
    return null;
  }
}

/** The message of the error that a node threw, the same that clients receive. */
async function errorOf({ state }: Parts, { run }: WebhookDelivery): Promise<string | undefined> {
  if (run.status !== 'failed' || !run.error) return undefined;
  const thrown = (await findThrown(state, run.runId)) as { message?: string } | undefined;
  return thrown?.message ?? run.error.detail ?? run.error.message;
}
