/** Objects in a container of Azure Blob storage. */
import type { BlobServiceClient, StoragePipelineOptions } from '@azure/storage-blob';
import { configurationError, SkeinError } from '../../../state/errors.ts';
import { importOptional } from '../../../state/optional-package.ts';
import type { Address } from './address.ts';
import { type AzureAccount, azureAccount } from './azure-account.ts';
import { isRefusal, type Setting, StoreReason, storageFailure } from './failure.ts';
import { type Condition, type ObjectStore, TRY_MS, tagOf, tried } from './object-store.ts';
import type { StorageOptions } from './options.ts';

type AzureModule = typeof import('@azure/storage-blob');

// The client must not retry, because `tried` does.
const PIPELINE: StoragePipelineOptions = { retryOptions: { maxTries: 1 } };

/** Throws CONFIGURATION_ERROR if the client's package is not installed. */
export const importAzure = (setting: Setting) =>
  importOptional<AzureModule>('@azure/storage-blob', { field: setting, who: 'az://' });

export async function azureStore(
  { bucket, prefix }: Address,
  options: StorageOptions,
  setting: Setting,
): Promise<ObjectStore> {
  const service = serviceOf(await importAzure(setting), azureAccount(options), setting);
  const container = service.getContainerClient(bucket);
  const blob = (key: string) => container.getBlockBlobClient(prefix + key);

  async function operation<T, A>(
    work: (abortSignal: AbortSignal) => Promise<T>,
    expected: readonly [statuses: readonly number[], answer: A][] = [],
  ): Promise<T | A> {
    const once = () => work(AbortSignal.timeout(TRY_MS));
    try {
      return await tried(once, (error) => !isRefusal(azureReason(error)));
    } catch (error) {
      const reason = azureReason(error);
      const { status, code } = reason instanceof StoreReason ? reason : { status: 0, code: '' };
      const known = expected.find(([statuses]) => statuses.includes(status));
      // A missing container is an error, unlike a missing blob.
      if (known && !code.startsWith('Container')) return known[1];
      throw storageFailure(setting, reason);
    }
  }

  return {
    async get(key, { unless, limit }) {
      const conditions = unless === undefined ? {} : { ifNoneMatch: `"${unless}"` };
      const read = async (abortSignal: AbortSignal) => {
        const found = await blob(key).download(0, undefined, { abortSignal, conditions });
        const { contentLength: size = 0, lastModified: modified = new Date(0) } = found;
        const body = found.readableStreamBody;
        if (size > limit) {
          (body as { destroy?(): void } | undefined)?.destroy?.();
          throw new SkeinError('PAYLOAD_TOO_LARGE', { detail: `${key}: larger than ${limit} bytes` });
        }
        const pieces = await Array.fromAsync(body ?? []);
        const bytes = new Uint8Array(Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
        return { key, tag: tagOf(found.etag), size, modified, bytes };
      };
      return operation(read, [
        [[304], 'unchanged' as const],
        [[404], undefined],
      ]);
    },
    head: (key) =>
      operation(
        async (abortSignal) => {
          const { etag, contentLength, lastModified } = await blob(key).getProperties({ abortSignal });
          return { key, tag: tagOf(etag), size: contentLength ?? 0, modified: lastModified ?? new Date(0) };
        },
        [[[404], undefined]],
      ),
    async put(key, bytes, condition) {
      const conditions = conditionOf(condition);
      const put = (abortSignal: AbortSignal) =>
        blob(key).upload(bytes, bytes.byteLength, { abortSignal, conditions });
      const done = await operation(put, condition ? [[[404, 409, 412], undefined]] : []);
      return done && tagOf(done.etag);
    },
    list: () =>
      operation(async (abortSignal) => {
        const found = await Array.fromAsync(container.listBlobsFlat({ abortSignal, prefix }));
        return found.map(({ name, properties }) => ({
          key: name.slice(prefix.length),
          tag: tagOf(properties.etag),
          size: properties.contentLength ?? 0,
          modified: properties.lastModified,
        }));
      }),
    async remove(key) {
      await operation((abortSignal) => blob(key).deleteIfExists({ abortSignal }), [[[404], undefined]]);
    },
    async probe() {
      await operation((abortSignal) =>
        container.listBlobsFlat({ abortSignal, prefix }).byPage({ maxPageSize: 1 }).next(),
      );
    },
  };
}

function serviceOf(azure: AzureModule, account: AzureAccount, setting: Setting): BlobServiceClient {
  const { name, key, sas, endpoint } = account;
  try {
    if (key !== undefined)
      return new azure.BlobServiceClient(endpoint, new azure.StorageSharedKeyCredential(name, key), PIPELINE);
    return new azure.BlobServiceClient(`${endpoint}?${sas ?? ''}`, undefined, PIPELINE);
  } catch {
    throw configurationError(
      setting,
      'the credentials of az:// cannot be used; see knowledge_base.credentials',
    );
  }
}

function conditionOf(condition: Condition | undefined): { ifMatch?: string; ifNoneMatch?: string } {
  if (condition === undefined) return {};
  return condition === 'absent' ? { ifNoneMatch: '*' } : { ifMatch: `"${condition.tag}"` };
}

/** Only the status and code of the client's error, because its message may contain a signed URL. */
function azureReason(error: unknown): unknown {
  const { statusCode, code } = (error ?? {}) as { statusCode?: unknown; code?: unknown };
  if (typeof statusCode !== 'number') return error;
  const named = typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : `status ${statusCode}`;
  return new StoreReason(statusCode, named);
}
