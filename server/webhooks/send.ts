/** One attempt at a delivery: over the network, or in this process for a path of the service itself. */
import type { WebhookDelivery } from '../../state/webhooks.ts';
import type { InProcess } from '../http-app/in-process.ts';
import { checkWebhook, hostOf, isAllowed, isOwnPath } from './destination.ts';
import type { WebhookOptions } from './options.ts';
import { post, type Resolve } from './post.ts';
import { isPublicAddress } from './public-address.ts';
import { deliveryHeaders } from './signature.ts';

export interface SendParts {
  /** The JSON of a delivery that is sent at a time. */
  bodyOf(delivery: WebhookDelivery, at: number): Promise<string>;
  options: WebhookOptions;
  inProcess: Pick<InProcess, 'fetch'>;
  resolve?: Resolve;
  now?: () => number;
}

/** Returns the status of the answer; rejects if there is none in time. */
export type Send = (delivery: WebhookDelivery, stopped: AbortSignal) => Promise<number>;

export function webhookSender(parts: SendParts): Send {
  const { bodyOf, options, inProcess, resolve, now = Date.now } = parts;
  const { secret, timeout_seconds } = options;

  return async (delivery, stopped) => {
    const { deliveryId, url } = delivery;
    // The settings may have changed since the run was created.
    checkWebhook(url, options);
    const at = now();
    const body = await bodyOf(delivery, at);
    const headers = deliveryHeaders({ deliveryId, body, at, secret });
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeout_seconds * 1000)]);
    if (isOwnPath(url)) return within(signal, inOwnProcess(inProcess, url, { headers, body, signal }));
    const target = new URL(url);
    const permits = (address: string) => isAllowed(hostOf(target), options) || isPublicAddress(address);
    const posting = { body, headers, signal, permits, ...(resolve && { resolve }) };
    return within(signal, post(target, posting));
  };
}

async function inOwnProcess(
  { fetch }: SendParts['inProcess'],
  path: string,
  init: RequestInit,
): Promise<number> {
  const response = await fetch(path, { ...init, method: 'POST' });
  await response.body?.cancel();
  return response.status;
}

/** A name that does not resolve, or a handler of the app, may not know of the signal. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
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
