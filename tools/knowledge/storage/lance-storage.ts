/** LanceDB's options for opening an address. */
import type { Address } from './address.ts';
import { azureAccount } from './azure-account.ts';
import type { StorageOptions } from './options.ts';

// LanceDB's default timeouts are minutes.
const BOUNDS = {
  connect_timeout: '3s',
  timeout: '20s',
  client_max_retries: '3',
  client_retry_timeout: '10',
};

export function lanceStorage({ scheme }: Address, options: StorageOptions): Record<string, string> {
  const { endpoint, region, credentials = {} } = options;
  const account = azureAccount(options);
  const own: Record<Address['scheme'], Record<string, string | undefined>> = {
    s3: {
      aws_access_key_id: credentials.access_key_id,
      aws_secret_access_key: credentials.secret_access_key,
      aws_session_token: credentials.session_token,
      aws_region: region ?? 'us-east-1',
      aws_endpoint: endpoint,
      allow_http: plain(endpoint),
    },
    az: {
      azure_storage_account_name: account.name,
      azure_storage_account_key: account.key,
      azure_storage_sas_token: account.key === undefined ? account.sas : undefined,
      azure_storage_endpoint: account.endpoint,
      allow_http: plain(account.endpoint),
    },
    gs: {
      google_application_credentials: credentials.service_account,
      google_base_url: endpoint,
      allow_http: plain(endpoint),
    },
  };
  const set = Object.entries({ ...BOUNDS, ...own[scheme] });
  return Object.fromEntries(set.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function plain(endpoint: string | undefined): string | undefined {
  return endpoint?.startsWith('http:') ? 'true' : undefined;
}
