/** Makes one attempt to deliver a webhook: over the network, or in-process for a path of the service itself. */
import type { WebhookDelivery } from '../../state/resources/webhooks.ts';
import { type Span, type Tracing, traced } from '../../tools/telemetry/tracing.ts';
import type { InProcess } from '../http-app/in-process.ts';
import { checkWebhook, hostOf, isAllowed, isOwnPath } from './destination.ts';
import type { WebhookOptions } from './options.ts';
import { post, type Resolve } from './post.ts';
import { isPublicAddress } from './public-address.ts';
import { deliveryHeaders } from './signature.ts';

export interface SendParts {
  /** Creates the JSON of a delivery. `at` is the time of sending, in milliseconds since 1970. */
  bodyOf(delivery: WebhookDelivery, at: number): Promise<string>;
  options: WebhookOptions;
  inProcess: Pick<InProcess, 'fetch'>;
  resolve?: Resolve;
  now?: () => number;
  tracing?: Tracing | undefined;
}

/** Returns the status of the response. Throws if the request fails or times out. */
export type Send = (delivery: WebhookDelivery, stopped: AbortSignal) => Promise<number>;

/** Signs requests if `options.secret` is set. Each request may take `options.timeout_seconds`. */
export function webhookSender(parts: SendParts): Send {
  const { bodyOf, options, inProcess, resolve, now = Date.now, tracing } = parts;
  const { secret, timeout_seconds } = options;

  return async (delivery, stopped) => {
    if (!tracing) return attempt(delivery, stopped);
    const span = webhookSpan(tracing, delivery);
    const setStatus = (status: number) => span.set({ 'http.response.status_code': status });
    return traced(tracing, span, () => attempt(delivery, stopped, span.traceparent), setStatus);
  };

  async function attempt(
    delivery: WebhookDelivery,
    stopped: AbortSignal,
    traceparent?: string,
  ): Promise<number> {
    const { deliveryId, url } = delivery;
    // The settings may have changed since the run was created.
    checkWebhook(url, options);
    const at = now();
    const body = await bodyOf(delivery, at);
    const signed = deliveryHeaders({ deliveryId, body, at, secret });
    const headers = { ...signed, ...(traceparent && { traceparent }) };
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeout_seconds * 1000)]);
    if (isOwnPath(url)) return withAbort(signal, postInProcess(inProcess, url, { headers, body, signal }));
    const target = new URL(url);
    const permits = (address: string) => isAllowed(hostOf(target), options) || isPublicAddress(address);
    const posting = { body, headers, signal, permits, ...(resolve && { resolve }) };
    return withAbort(signal, post(target, posting));
  }
}

/** The span of an attempt, as a child of the span that created the run. */
function webhookSpan(tracing: Tracing, { url, run, attempts }: WebhookDelivery): Span {
  return tracing.begin('POST webhook', {
    kind: 'client',
    parent: run.request.traceparent,
    attributes: {
      'http.request.method': 'POST',
      'server.address': isOwnPath(url) || !URL.canParse(url) ? undefined : new URL(url).hostname,
      'http.request.resend_count': attempts.length === 0 ? undefined : attempts.length,
      'skein.run.id': run.runId,
    },
  });
}

async function postInProcess(
  { fetch }: SendParts['inProcess'],
  path: string,
  init: RequestInit,
): Promise<number> {
  const response = await fetch(path, { ...init, method: 'POST' });
  await response.body?.cancel();
  return response.status;
}

/** Rejects when the signal aborts, because name resolution and handlers of a project's app may ignore the signal. */
async function withAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
