/** The headers of a delivery: its id, and an HMAC signature of the time and the body. */
import { createHmac } from 'node:crypto';

export interface SignedDelivery {
  deliveryId: string;
  body: string;
  /** Milliseconds since 1970. */
  at: number;
  secret: string | undefined;
}

/**
 * With a secret, `X-Skein-Signature` is `t=<seconds since 1970>,v1=<mac>`, where `mac` is the HMAC-SHA256 of `<t>.<body>` in
 * hexadecimal.
 */
export function deliveryHeaders({ deliveryId, body, at, secret }: SignedDelivery): Record<string, string> {
  const time = Math.floor(at / 1000);
  const mac = secret && createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return {
    'content-type': 'application/json',
    'x-skein-delivery': deliveryId,
    ...(mac && { 'x-skein-signature': `t=${time},v1=${mac}` }),
  };
}
