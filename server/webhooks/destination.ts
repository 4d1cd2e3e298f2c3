/** Where a webhook may go. */
import { isIP } from 'node:net';
import { SkeinError } from '../../state/errors.ts';
import type { WebhookOptions } from './options.ts';
import { isPublicAddress } from './public-address.ts';

type Allowed = Pick<WebhookOptions, 'allowed_hosts'>;

/** Whether it is a path of this service, which is called without a network. */
export function isOwnPath(webhook: string): boolean {
  return /^\/(?![/\\])/.test(webhook);
}

/** Throws INVALID_REQUEST for what could never be sent. A name's addresses are checked when it is. */
export function checkWebhook(webhook: string, options: Allowed): void {
  if (isOwnPath(webhook)) return;
  const url = URL.canParse(webhook) ? new URL(webhook) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw invalid('expected an http or https URL, or a path that begins with /');
  if (url.username !== '' || url.password !== '') throw invalid('expected a URL without credentials');
  const host = hostOf(url);
  if (isAllowed(host, options)) return;
  if (options.allowed_hosts.length > 0) throw invalid('its host is not in webhooks.allowed_hosts');
  const isHere = host === 'localhost' || host.endsWith('.localhost');
  if (isHere || (isIP(host) !== 0 && !isPublicAddress(host)))
    throw invalid('its host is not public, and not in webhooks.allowed_hosts');
}

/** Whether the settings name the host, so that it may be private. */
export function isAllowed(host: string, { allowed_hosts }: Allowed): boolean {
  return allowed_hosts.some((one) => bare(one) === host);
}

export function hostOf({ hostname }: URL): string {
  return bare(hostname);
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function invalid(what: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail: `webhook: ${what}` });
}
