/** What a webhook tells of a run that has ended: its fields, the thread's values after it, and its error. */
import type { WebhookDelivery } from '../../../state/webhooks.ts';
import type { Services } from '../../services.ts';
import { runBody } from './run-body.ts';
import { thrownIn } from './run-end.ts';

type Parts = Pick<Services, 'archive' | 'state' | 'states' | 'log'>;

/** `at`: when it is sent, milliseconds since 1970. */
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

/** Null where they can no longer be read: the graph is gone. */
async function valuesOf({ archive, states, log }: Parts, { run, head }: WebhookDelivery): Promise<unknown> {
  if (head === null) return {};
  try {
    const thread = await archive.threads.find(run.owner, run.threadId);
    return thread?.key === run.threadKey ? await states.values(thread, head) : null;
  } catch (err) {
    log.warn({ err, run_id: run.runId }, "a webhook's values cannot be read");
    return null;
  }
}

/** The message of what a node threw, as clients are told it. */
async function errorOf({ state }: Parts, { run }: WebhookDelivery): Promise<string | undefined> {
  if (run.status !== 'failed' || !run.error) return undefined;
  const thrown = (await thrownIn(state, run.runId)) as { message?: string } | undefined;
  return thrown?.message ?? run.error.detail ?? run.error.message;
}
