/** Checks web settings that a schema can't check, before the start opens anything. */
import { clientAddresses } from './http/headers/client-address.ts';
import type { WebOptions } from './options.ts';
import { readTls } from './tls.ts';

/** Throws CONFIGURATION_ERROR for a trusted proxy that is not an address or range, and for an unusable certificate or key. */
export function checkWeb({ tls, trusted_proxies }: WebOptions): void {
  clientAddresses(trusted_proxies);
  if (tls) readTls(tls);
}
