/** The headers of a delivery: its id, and a signature by which the other side knows who sent it and when. */
import { createHmac } from 'node:crypto';

export interface Signed {
  deliveryId: string;
  body: string;
  /** Milliseconds since 1970. */
  at: number;
  secret: string | undefined;
}

export function deliveryHeaders({ deliveryId, body, at, secret }: Signed): Record<string, string> {
  const time = Math.floor(at / 1000);
  const mac = secret && createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return {
    'content-type': 'application/json',
    'x-skein-delivery': deliveryId,
    ...(mac && { 'x-skein-signature': `t=${time},v1=${mac}` }),
  };
}
