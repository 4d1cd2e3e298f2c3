/** What of the web settings would stop the start, and no schema can say: looked at before anything is opened. */
import { clientAddresses } from './http/client-address.ts';
import type { WebOptions } from './options.ts';
import { readTls } from './tls.ts';

/** Throws CONFIGURATION_ERROR for proxies that are no addresses, and for a certificate or key that cannot be used. */
export function checkWeb({ tls, trusted_proxies }: WebOptions): void {
  clientAddresses(trusted_proxies);
  if (tls) readTls(tls);
}
