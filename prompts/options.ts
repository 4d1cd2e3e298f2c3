/** The `prompts` block: the storage of the prompt files and their versions. */
import { type Static, Type } from '@sinclair/typebox';

export const AzureOptions = Type.Object(
  {
    container: Type.String({
      pattern: '^(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$',
      expected: 'a container name: 3 to 63 lower-case letters, digits and single hyphens',
      description: 'The blob container of the prompt files; it is created if it does not exist.',
    }),
    prefix: Type.String({
      default: '',
      pattern: '^(?!/)(?!.*(?:\\./|\\.\\.|//))[A-Za-z0-9._/-]{0,256}$',
      expected: 'at most 256 letters, digits, dots, hyphens, underscores and slashes, such as team/',
      description: 'Prefix of every blob name, for a shared container.',
    }),
    connection_string: Type.Optional(
      Type.String({ minLength: 1, secret: true, description: 'Connection string of the storage account.' }),
    ),
    account_url: Type.Optional(
      Type.String({
        pattern: '^https?://\\S+$',
        expected: 'an http or https URL',
        description:
          "URL of the storage account, instead of a connection string: a signed URL, or a plain one to use the machine's default credential.",
      }),
    ),
  },
  { additionalProperties: false, description: 'The Azure Blob container used with `storage: azure`.' },
);

export type AzureOptions = Static<typeof AzureOptions>;

export const PromptsOptions = Type.Object(
  {
    storage: Type.Union([Type.Literal('local'), Type.Literal('azure'), Type.Literal('postgresql')], {
      default: 'local',
      description:
        'Where prompt files are kept: a local folder, Azure Blob storage, or the database of chat_history.',
    }),
    path: Type.String({
      default: '.files/prompts',
      minLength: 1,
      path: true,
      description: 'The folder of the local storage; each revision is a folder in it.',
    }),
    azure: Type.Optional(AzureOptions),
  },
  { additionalProperties: false, default: {}, description: 'Where prompt files are stored.' },
);

export type PromptsOptions = Static<typeof PromptsOptions>;
