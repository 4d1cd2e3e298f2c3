/** Opens the configured container of a storage account; the packages that this takes are imported only here. */
import type { BlobServiceClient, ContainerClient, StoragePipelineOptions } from '@azure/storage-blob';
import { configurationError } from '../../state/errors.ts';
import type { AzureOptions } from '../options.ts';

// In a variable, so that neither the compiler nor a bundler looks for what need not be there.
const IDENTITY: string = '@azure/identity';
const IDENTITY_VERSION = '4.14.1';

// The client's own are four tries, seconds apart, without a bound.
const RETRIES: StoragePipelineOptions = {
  retryOptions: { maxTries: 3, retryDelayInMs: 100, maxRetryDelayInMs: 1_000 },
};

/** Asks the network for nothing. Throws CONFIGURATION_ERROR for settings that lead to no account. */
export async function openContainer(options: AzureOptions | undefined): Promise<ContainerClient> {
  if (!options) throw configurationError('prompts.azure', 'missing, prompts.storage azure needs it');
  const { connection_string, account_url, container } = options;
  const { BlobServiceClient: Service } = await import('@azure/storage-blob');
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
      'expected AccountName and AccountKey, or BlobEndpoint and SharedAccessSignature, as the portal shows them',
    );
  }
}

/** A URL that is signed itself needs none. */
async function credentialFor(url: string) {
  if (new URL(url).searchParams.has('sig')) return undefined;
  if (!url.startsWith('https:'))
    throw configurationError('prompts.azure.account_url', 'expected https, or a URL with a signature');
  try {
    const { DefaultAzureCredential } = await import(IDENTITY);
    return new DefaultAzureCredential();
  } catch {
    throw configurationError(
      'prompts.azure.account_url',
      `without a signature it needs the package ${IDENTITY}: run "bun add ${IDENTITY}@${IDENTITY_VERSION}"`,
    );
  }
}
