/** Objects in a bucket of S3 or a compatible store, through Bun's client and, for conditional requests, signed URLs. */
import type { S3ListObjectsResponse } from 'bun';
import { SkeinError } from '../../../state/errors.ts';
import type { Address } from './address.ts';
import { isRefusal, type Setting, StoreReason, storageFailure } from './failure.ts';
import { type Condition, type ObjectStore, type StoredObject, TRY_MS, tagOf, tried } from './object-store.ts';
import type { StorageOptions } from './options.ts';

const SIGNED_SECONDS = 60;

export function s3Store(
  { bucket, prefix }: Address,
  { endpoint, region, credentials = {} }: StorageOptions,
  setting: Setting,
): ObjectStore {
  const client = new Bun.S3Client({
    bucket,
    region: region ?? 'us-east-1',
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials.access_key_id !== undefined && { accessKeyId: credentials.access_key_id }),
    ...(credentials.secret_access_key !== undefined && { secretAccessKey: credentials.secret_access_key }),
    ...(credentials.session_token !== undefined && { sessionToken: credentials.session_token }),
  });

  /** Returns a successful response, or one with an expected status. */
  async function call(request: S3Request, expected: readonly number[]): Promise<Response> {
    const { method, key, headers = {}, body } = request;
    const once = async () => {
      const url = client.presign(prefix + key, { method, expiresIn: SIGNED_SECONDS });
      const init = { method, headers, redirect: 'error', signal: AbortSignal.timeout(TRY_MS) } as const;
      const response = await fetch(url, body === undefined ? init : { ...init, body });
      if (response.ok || expected.includes(response.status)) return response;
      throw new StoreReason(response.status, codeIn(await response.text()) ?? `status ${response.status}`);
    };
    return tried(once, (error) => !isRefusal(error)).catch((error) => {
      throw storageFailure(setting, error);
    });
  }

  /** Whether the object is missing. A missing bucket is an error. */
  async function isAbsent(response: Response): Promise<boolean> {
    if (response.status !== 404) return false;
    const code = codeIn(await response.text());
    if (code === 'NoSuchBucket') throw storageFailure(setting, new StoreReason(404, code));
    return true;
  }

  async function page(continuationToken?: string): Promise<S3ListObjectsResponse> {
    const once = () =>
      within(
        client.list({
          prefix,
          maxKeys: 1_000,
          ...(continuationToken !== undefined && { continuationToken }),
        }),
      ).catch((error) => {
        throw listReason(error);
      });
    return tried(once, (error) => !isRefusal(error)).catch((error) => {
      throw storageFailure(setting, error);
    });
  }

  return {
    async get(key, { unless, limit }) {
      const headers: Record<string, string> = unless === undefined ? {} : { 'if-none-match': `"${unless}"` };
      const response = await call({ method: 'GET', key, headers }, [304, 404]);
      if (response.status === 304) return 'unchanged';
      if (await isAbsent(response)) return undefined;
      if (Number(response.headers.get('content-length') ?? 0) > limit) {
        await response.body?.cancel();
        throw new SkeinError('PAYLOAD_TOO_LARGE', { detail: `${key}: larger than ${limit} bytes` });
      }
      const bytes = await response.bytes().catch((error) => {
        throw storageFailure(setting, error);
      });
      return { ...objectOf(key, response), size: bytes.byteLength, bytes };
    },
    async head(key) {
      const response = await call({ method: 'HEAD', key }, [404]);
      return (await isAbsent(response)) ? undefined : objectOf(key, response);
    },
    async put(key, body, condition) {
      const headers = conditionOf(condition);
      // 409: another writer is active, so the condition does not hold.
      const response = await call({ method: 'PUT', key, headers, body }, condition ? [404, 409, 412] : []);
      if (await isAbsent(response)) return undefined;
      return response.ok ? tagOf(response.headers.get('etag')) : undefined;
    },
    async list() {
      const found: StoredObject[] = [];
      let token: string | undefined;
      do {
        const { contents = [], isTruncated, nextContinuationToken } = await page(token);
        for (const { key, eTag, size = 0, lastModified } of contents)
          found.push({
            key: key.slice(prefix.length),
            tag: tagOf(eTag),
            size,
            modified: new Date(lastModified ?? 0),
          });
        token = isTruncated ? nextContinuationToken : undefined;
      } while (token !== undefined);
      return found;
    },
    async remove(key) {
      await isAbsent(await call({ method: 'DELETE', key }, [404]));
    },
    async probe() {
      await page();
    },
  };
}

interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  key: string;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
}

function conditionOf(condition: Condition | undefined): Record<string, string> {
  if (condition === undefined) return {};
  return condition === 'absent' ? { 'if-none-match': '*' } : { 'if-match': `"${condition.tag}"` };
}

function objectOf(key: string, { headers }: Response): StoredObject {
  return {
    key,
    tag: tagOf(headers.get('etag')),
    size: Number(headers.get('content-length') ?? 0),
    modified: new Date(headers.get('last-modified') ?? 0),
  };
}

function codeIn(xml: string): string | undefined {
  return /<Code>(\w{1,64})<\/Code>/.exec(xml)?.[1];
}

/** Limits the time, because Bun's client accepts no signal. */
async function within<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DOMException('', 'TimeoutError')), TRY_MS);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

const REFUSALS: Record<string, number> = {
  NoSuchBucket: 404,
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  SignatureDoesNotMatch: 403,
  ExpiredToken: 403,
  InvalidToken: 403,
};

function listReason(error: unknown): unknown {
  const code = String((error as { code?: unknown } | undefined)?.code);
  const status = REFUSALS[code];
  return status === undefined ? error : new StoreReason(status, code);
}
