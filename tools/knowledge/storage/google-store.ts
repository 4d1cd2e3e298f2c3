/** Objects in a bucket of Google Cloud Storage, accessed through its JSON API. Tags are generations. */
import { SkeinError } from '../../../state/errors.ts';
import { importOptional } from '../../../state/optional-package.ts';
import type { Address } from './address.ts';
import { isRefusal, type Setting, StoreReason, storageFailure } from './failure.ts';
import { type Condition, type ObjectStore, type StoredObject, TRY_MS, tried } from './object-store.ts';
import type { StorageOptions } from './options.ts';

interface AuthModule {
  GoogleAuth: new (options: {
    keyFile?: string;
    scopes: string;
  }) => { getAccessToken(): Promise<string | null | undefined> };
}

interface Listed {
  name: string;
  generation: string;
  size: string;
  updated: string;
}

interface Page {
  items?: Listed[];
  nextPageToken?: string;
}

const GOOGLE = 'https://storage.googleapis.com';
const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write';

/** Throws CONFIGURATION_ERROR if the package that reads the credentials is not installed. */
export const importGoogle = (setting: Setting) =>
  importOptional<AuthModule>('google-auth-library', { field: setting, who: 'gs://' });

/** Without credentials, requests have no token, which an emulator at `endpoint` accepts. */
export async function googleStore(
  { bucket, prefix }: Address,
  { endpoint = GOOGLE, credentials = {} }: StorageOptions,
  setting: Setting,
): Promise<ObjectStore> {
  const { service_account: keyFile } = credentials;
  const auth =
    keyFile === undefined
      ? undefined
      : new (await importGoogle(setting)).GoogleAuth({ keyFile, scopes: SCOPE });
  const base = endpoint.replace(/\/+$/, '');
  const objects = `${base}/storage/v1/b/${bucket}/o`;
  const objectUrl = (key: string) => `${objects}/${encodeURIComponent(prefix + key)}`;

  async function call(url: string, init: RequestInit, expected: readonly number[]): Promise<Response> {
    const once = async () => {
      const token = await auth?.getAccessToken();
      const headers = new Headers(token ? { authorization: `Bearer ${token}` } : {});
      const signal = AbortSignal.timeout(TRY_MS);
      const response = await fetch(url, { ...init, headers, redirect: 'error', signal });
      if (response.ok || expected.includes(response.status)) return response;
      throw new StoreReason(response.status, `status ${response.status}`);
    };
    return tried(once, (error) => !isRefusal(error)).catch((error) => {
      throw storageFailure(setting, error);
    });
  }

  /** Returns undefined for a missing object. A missing bucket is an error. */
  async function found(response: Response): Promise<Response | undefined> {
    if (response.status !== 404) return response;
    await call(`${objects}?maxResults=1`, {}, []);
    return undefined;
  }

  async function head(key: string): Promise<StoredObject | undefined> {
    const response = await found(await call(objectUrl(key), {}, [404]));
    return response && objectOf((await response.json()) as Listed, prefix);
  }

  const get: ObjectStore['get'] = async (key, { unless, limit }) => {
    const about = await head(key);
    if (!about) return undefined;
    if (about.tag === unless) return 'unchanged';
    if (about.size > limit)
      throw new SkeinError('PAYLOAD_TOO_LARGE', { detail: `${key}: larger than ${limit} bytes` });
    const url = `${objectUrl(key)}?alt=media&ifGenerationMatch=${about.tag}`;
    const response = await call(url, {}, [404, 412]);
    // The object was replaced or removed in the meantime.
    if (!response.ok) return get(key, { unless, limit });
    return { ...about, bytes: await response.bytes() };
  };

  return {
    get,
    head,
    async put(key, body, condition) {
      const name = encodeURIComponent(prefix + key);
      const url = `${base}/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${name}${conditionOf(condition)}`;
      const response = await call(url, { method: 'POST', body }, condition ? [412] : []);
      return response.ok ? ((await response.json()) as Listed).generation : undefined;
    },
    async list() {
      const all: StoredObject[] = [];
      let token = '';
      do {
        const query = new URLSearchParams({ prefix, ...(token !== '' && { pageToken: token }) });
        const page = (await (await call(`${objects}?${query}`, {}, [])).json()) as Page;
        for (const item of page.items ?? []) all.push(objectOf(item, prefix));
        token = page.nextPageToken ?? '';
      } while (token !== '');
      return all;
    },
    async remove(key) {
      await found(await call(objectUrl(key), { method: 'DELETE' }, [404]));
    },
    async probe() {
      await call(`${objects}?maxResults=1`, {}, []);
    },
  };
}

function objectOf({ name, generation, size, updated }: Listed, prefix: string): StoredObject {
  const key = name.slice(prefix.length);
  return { key, tag: generation, size: Number(size), modified: new Date(updated) };
}

function conditionOf(condition: Condition | undefined): string {
  if (condition === undefined) return '';
  return `&ifGenerationMatch=${condition === 'absent' ? '0' : condition.tag}`;
}
