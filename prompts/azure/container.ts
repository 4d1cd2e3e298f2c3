/** Opens the configured container of a storage account; only this file imports the packages for it. */
import type { BlobServiceClient, ContainerClient, StoragePipelineOptions } from '@azure/storage-blob';
import { configurationError } from '../../state/errors.ts';
import { importOptional } from '../../state/optional-package.ts';
import type { AzureOptions } from '../options.ts';

interface IdentityModule {
  DefaultAzureCredential: new () => {
    getToken(scopes: string | string[]): Promise<{ token: string; expiresOnTimestamp: number }>;
  };
}

// The client's default is four attempts, seconds apart, without a limit.
const RETRIES: StoragePipelineOptions = {
  retryOptions: { maxTries: 3, retryDelayInMs: 100, maxRetryDelayInMs: 1_000 },
};

/** Makes no requests. Throws CONFIGURATION_ERROR for incomplete settings. */
export async function openContainer(options: AzureOptions | undefined): Promise<ContainerClient> {
  if (!options) throw configurationError('prompts.azure', 'missing; prompts.storage: azure requires it');
  const { connection_string, account_url, container } = options;
  const { BlobServiceClient: Service } = await importOptional<typeof import('@azure/storage-blob')>(
    '@azure/storage-blob',
    { field: 'prompts.storage', who: "'azure'" },
  );
  let service: BlobServiceClient;
  if (connection_string !== undefined) {
    service = fromConnectionString(Service, connection_string);
  } else if (account_url !== undefined) {
    service = new Service(account_url, await credentialFor(account_url), RETRIES);
  } else throw configurationError('prompts.azure', 'expected connection_string or account_url');
  return service.getContainerClient(container);
}

function fromConnectionString(Service: typeof BlobServiceClient, text: string): BlobServiceClient {
  try {
    return Service.fromConnectionString(text, RETRIES);
  } catch {
    throw configurationError(
      'prompts.azure.connection_string',
      'must have AccountName and AccountKey, or BlobEndpoint and SharedAccessSignature, as shown in the portal',
    );
  }
}

/** A signed URL needs no credential. */
async function credentialFor(url: string) {
  if (new URL(url).searchParams.has('sig')) return undefined;
  if (!url.startsWith('https:'))
    throw configurationError('prompts.azure.account_url', 'must be an https URL, or have a signature');
  const { DefaultAzureCredential } = await importOptional<IdentityModule>('@azure/identity', {
    field: 'prompts.azure.account_url',
    who: 'without a signature it',
  });
  return new DefaultAzureCredential();
}
