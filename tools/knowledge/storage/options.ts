/** How to reach an object store besides its address: a custom endpoint, and credentials. */
import { type Static, Type } from '@sinclair/typebox';

const secret = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, secret: true, description }));

export const StorageCredentials = Type.Object(
  {
    access_key_id: secret('For s3://. Default: the environment variable AWS_ACCESS_KEY_ID.'),
    secret_access_key: secret('For s3://. Default: AWS_SECRET_ACCESS_KEY.'),
    session_token: secret('For s3:// with temporary credentials. Default: AWS_SESSION_TOKEN.'),
    connection_string: secret('For az://. Default: AZURE_STORAGE_CONNECTION_STRING.'),
    account_name: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]{3,24}$',
        expected: 'a storage account: 3 to 24 lower-case letters and digits',
        description: 'For az:// without a connection string. Default: AZURE_STORAGE_ACCOUNT_NAME.',
      }),
    ),
    account_key: secret('For az://. Default: AZURE_STORAGE_ACCOUNT_KEY.'),
    sas_token: secret('For az://, instead of a key. Default: AZURE_STORAGE_SAS_TOKEN.'),
    service_account: Type.Optional(
      Type.String({
        minLength: 1,
        path: true,
        description:
          'For gs://: the JSON file with the credentials. Default: GOOGLE_APPLICATION_CREDENTIALS.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Credentials of the object store.' },
);

export type StorageCredentials = Static<typeof StorageCredentials>;

/**
 * The environment variables that the tools of each store read, with the field that they set. The first variable that is set
 * counts.
 */
export const STORAGE_VARIABLES: Record<'s3' | 'az' | 'gs', [name: string, keys: readonly string[]][]> = {
  s3: [
    ['AWS_ACCESS_KEY_ID', ['credentials', 'access_key_id']],
    ['AWS_SECRET_ACCESS_KEY', ['credentials', 'secret_access_key']],
    ['AWS_SESSION_TOKEN', ['credentials', 'session_token']],
    ['AWS_REGION', ['region']],
    ['AWS_DEFAULT_REGION', ['region']],
    ['AWS_ENDPOINT_URL_S3', ['endpoint']],
    ['AWS_ENDPOINT_URL', ['endpoint']],
  ],
  az: [
    ['AZURE_STORAGE_CONNECTION_STRING', ['credentials', 'connection_string']],
    ['AZURE_STORAGE_ACCOUNT_NAME', ['credentials', 'account_name']],
    ['AZURE_STORAGE_ACCOUNT', ['credentials', 'account_name']],
    ['AZURE_STORAGE_ACCOUNT_KEY', ['credentials', 'account_key']],
    ['AZURE_STORAGE_KEY', ['credentials', 'account_key']],
    ['AZURE_STORAGE_SAS_TOKEN', ['credentials', 'sas_token']],
  ],
  gs: [['GOOGLE_APPLICATION_CREDENTIALS', ['credentials', 'service_account']]],
};

/** The options for opening an address. */
export interface StorageOptions {
  endpoint?: string | undefined;
  region?: string | undefined;
  credentials?: StorageCredentials | undefined;
}
