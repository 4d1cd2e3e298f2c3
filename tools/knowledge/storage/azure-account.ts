/** Reads the storage account of az:// from a connection string or from its parts. */
import type { StorageOptions } from './options.ts';

export interface AzureAccount {
  name: string;
  /** Exactly one of the account key and the SAS token is set. */
  key?: string | undefined;
  /** The SAS token without the leading `?`. */
  sas?: string | undefined;
  /** The URL of the account's blobs. */
  endpoint: string;
}

/** Missing parts are empty strings. The validation of the settings reports them. */
export function azureAccount({ endpoint, credentials = {} }: StorageOptions): AzureAccount {
  const parts = partsOf(credentials.connection_string ?? '');
  const name = parts.get('AccountName') ?? credentials.account_name ?? '';
  const protocol = parts.get('DefaultEndpointsProtocol') ?? 'https';
  const suffix = parts.get('EndpointSuffix') ?? 'core.windows.net';
  const own = parts.get('BlobEndpoint') ?? endpoint ?? `${protocol}://${name}.blob.${suffix}`;
  return {
    name,
    key: parts.get('AccountKey') ?? credentials.account_key,
    sas: (parts.get('SharedAccessSignature') ?? credentials.sas_token)?.replace(/^\?/, ''),
    endpoint: own.replace(/\/+$/, ''),
  };
}

function partsOf(text: string): Map<string, string> {
  return new Map(
    text.split(';').flatMap((part) => {
      const at = part.indexOf('=');
      return at > 0 ? [[part.slice(0, at).trim(), part.slice(at + 1)] as const] : [];
    }),
  );
}
