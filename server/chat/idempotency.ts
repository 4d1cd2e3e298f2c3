/** The Idempotency-Key header: the same key and request give the same answer. */
import { SkeinError } from '../../state/errors.ts';

/** `asked`: everything of the request that makes it another one. Throws INVALID_REQUEST. */
export function idempotencyOf(request: Request, asked: unknown): { key: string; digest: string } | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new SkeinError('INVALID_REQUEST', {
      detail: 'Idempotency-Key: expected 1 to 255 printable ASCII characters',
    });
  }
  return { key, digest: new Bun.CryptoHasher('sha256').update(JSON.stringify(asked)).digest('base64') };
}
