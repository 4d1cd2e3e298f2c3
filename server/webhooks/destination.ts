/** Checks where webhooks may be sent. */
import { isIP } from 'node:net';
import { SkeinError } from '../../state/errors.ts';
import type { WebhookOptions } from './options.ts';
import { isPublicAddress } from './public-address.ts';

type Allowed = Pick<WebhookOptions, 'allowed_hosts'>;

/** Whether the webhook is a path of this service, which is called in-process. */
export function isOwnPath(webhook: string): boolean {
  // URL parsers drop tabs and line breaks, so `/<tab>/host` would be another host.
  return /^\/(?![/\\])/.test(webhook.replaceAll(/[\t\n\r]/g, ''));
}

/** Throws INVALID_REQUEST for a URL that is never allowed. The addresses of a host name are only checked when it is sent. */
export function checkWebhook(webhook: string, options: Allowed): void {
  if (isOwnPath(webhook)) return;
  const url = URL.canParse(webhook) ? new URL(webhook) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw invalid('expected an http or https URL, or a path that starts with /');
  if (url.username !== '' || url.password !== '') throw invalid('expected a URL without credentials');
  const host = hostOf(url);
  if (isAllowed(host, options)) return;
  if (options.allowed_hosts.length > 0) throw invalid('its host is not in webhooks.allowed_hosts');
  const isLocal = host === 'localhost' || host.endsWith('.localhost');
  if (isLocal || (isIP(host) !== 0 && !isPublicAddress(host)))
    throw invalid('its host is neither public nor in webhooks.allowed_hosts');
}

/** Whether `webhooks.allowed_hosts` contains the host, which may then be private. */
export function isAllowed(host: string, { allowed_hosts }: Allowed): boolean {
  return allowed_hosts.some((one) => normalized(one) === host);
}

/** The host in lower case, without the brackets of an IPv6 address and without a trailing dot. */
export function hostOf({ hostname }: URL): string {
  return normalized(hostname);
}

function normalized(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function invalid(what: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail: `webhook: ${what}` });
}
