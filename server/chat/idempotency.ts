/** Reads the Idempotency-Key header, with which a repeated request gets the response of the first one. */
import { SkeinError } from '../../state/errors.ts';

/**
 * `content` is everything that distinguishes the request from others; its digest detects a key that is reused for another
 * request. Returns undefined without the header. Throws INVALID_REQUEST for an invalid key.
 */
export function idempotencyOf(
  request: Request,
  content: unknown,
): { key: string; digest: string } | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new SkeinError('INVALID_REQUEST', {
      detail: 'Idempotency-Key: expected 1 to 255 printable ASCII characters',
    });
  }
  return { key, digest: new Bun.CryptoHasher('sha256').update(JSON.stringify(content)).digest('base64') };
}
