/** The prompt store on a real Azure Blob server. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ContainerClient, ContainerSASPermissions } from '@azure/storage-blob';
import { openPromptStorage, type PromptStorage } from '../../../prompts/open.ts';
import { type OpenedPrompts, promptStoreContract, refusal, shipped } from '../../contracts/prompts.ts';
import { startAzurite } from '../../support/azurite.ts';

setDefaultTimeout(60_000);

const azurite = await startAzurite();
afterAll(() => azurite?.kill());

const NAME = { revision: 'v1', file: 'a.md' };
const PREFIX = 'team/';
let containers = 0;

const newContainer = () => `prompts-${++containers}`;

function openAt(
  container: string,
  connection_string = azurite?.connectionString ?? '',
): Promise<PromptStorage> {
  const azure = { container, prefix: PREFIX, connection_string };
  return openPromptStorage({ storage: 'azure', path: 'unused', azure }, shipped);
}

function client(container: string): ContainerClient {
  if (!azurite) throw new Error('there is no server');
  return azurite.service.getContainerClient(container);
}

const put = (container: string, path: string, text: string) =>
  client(container)
    .getBlockBlobClient(PREFIX + path)
    .upload(text, Buffer.byteLength(text));

async function namesIn(container: string): Promise<string[]> {
  const blobs = await Array.fromAsync(client(container).listBlobsFlat());
  return blobs.map(({ name }) => name);
}

async function open(): Promise<OpenedPrompts> {
  const container = newContainer();
  const { store, source } = await openAt(container);
  return {
    store,
    source,
    putByHand: async ({ revision, file }, text) => {
      await put(container, `${revision}/${file}`, text);
    },
    damage: async ({ revision, file }, version, text) => {
      await put(container, `.history/${revision}/${file}/${String(version).padStart(9, '0')}`, text);
    },
    isEmpty: async () => !(await client(container).exists()) || (await namesIn(container)).length === 0,
    close: async () => {},
  };
}

const write = ({ store }: PromptStorage, text: string, ifMatch?: string) =>
  store.write(NAME, { bytes: Buffer.from(text), author: 'ana', ifMatch });

describe.skipIf(!azurite)('on a server', () => {
  promptStoreContract(open, { own: 'azure', many: 40 });

  test('files are stored under the prefix, each with its history', async () => {
    const container = newContainer();
    const storage = await openAt(container);
    for (const text of ['one', 'two']) await write(storage, text);
    expect((await namesIn(container)).sort()).toEqual([
      'team/.history/v1/a.md/000000001',
      'team/.history/v1/a.md/000000002',
      'team/v1/a.md',
    ]);
    expect(storage.label).toBe(`Azure Blob container '${container}', prefix 'team/'`);
  });

  test('blobs outside of the prefix or in deeper folders are not prompt files', async () => {
    const container = newContainer();
    const { store } = await openAt(container);
    await store.check();
    await put(container, 'v1/deep/a.md', 'x');
    await put(container, '../v1/b.md', 'x');
    await client(container).getBlockBlobClient('other/v1/c.md').upload('x', 1);
    expect(await refusal(store.list('v1'))).toBe('PROMPT_NOT_FOUND');
    expect(await store.revisions()).toHaveLength(1);
  });

  test('concurrent writes of several services lose no update, and each version exists once', async () => {
    const container = newContainer();
    const services = await Promise.all([openAt(container), openAt(container), openAt(container)]);
    const texts = services.flatMap((_, s) => Array.from({ length: 8 }, (_, n) => `${s} ${n}`));
    const written = await Promise.all(
      texts.map((text, n) => write(services[n % services.length] as PromptStorage, text)),
    );
    expect(written.map(({ version }) => version).sort((a, b) => a - b)).toEqual(texts.map((_, n) => n + 1));
    const reader = services[0];
    const kept = await Promise.all(
      texts.map(async (_, n) => new TextDecoder().decode((await reader.store.read(NAME, n + 1)).bytes)),
    );
    expect(kept.toSorted()).toEqual(texts.toSorted());
  });

  test('if several services write on top of the same version, one wins', async () => {
    const container = newContainer();
    const [one, other] = [await openAt(container), await openAt(container)];
    await write(one, 'first');
    const { etag } = await other.store.read(NAME);
    const outcomes = await Promise.all([refusal(write(one, 'a', etag)), refusal(write(other, 'b', etag))]);
    expect(outcomes.sort()).toEqual(['PROMPT_CONFLICT', 'none']);
  });

  test('a deleted container is an error, not a missing file', async () => {
    const container = newContainer();
    const storage = await openAt(container);
    await write(storage, 'one');
    await client(container).delete();
    for (const call of [storage.store.read(NAME), storage.store.list('v1'), write(storage, 'two')])
      expect(await refusal(call)).toBe('PROMPT_STORAGE_FAILED');
    expect(storage.store.check()).rejects.toMatchObject({
      detail: expect.stringMatching(/^the prompt storage: Container\w+$/),
    });
    expect(await refusal(storage.source.read({ file: 'none.md' }, 'v1'))).toBe('PROMPT_STORAGE_FAILED');
  });

  test('a signed URL without the permission to create containers works with an existing one', async () => {
    const container = newContainer();
    await client(container).create();
    const permissions = ContainerSASPermissions.parse('rwdl');
    const signed = await client(container).generateSasUrl({
      expiresOn: new Date(Date.now() + 3_600_000),
      permissions,
    });
    const account_url = `${azurite?.service.url}?${signed.split('?')[1]}`;
    const azure = { container, prefix: '', account_url };
    const storage = await openPromptStorage({ storage: 'azure', path: 'unused', azure }, shipped);
    expect(await write(storage, 'one')).toMatchObject({ version: 1 });
    expect((await storage.source.read({ file: 'a.md' }, 'v1'))?.text).toBe('one');
  });

  test('an invalid key is reported by its error code only', async () => {
    const wrong = azurite?.connectionString.replace(/AccountKey=[^;]+/, 'AccountKey=d3Jvbmc=');
    const { store } = await openAt(newContainer(), wrong);
    expect(store.read(NAME)).rejects.toMatchObject({
      code: 'PROMPT_STORAGE_FAILED',
      detail: "prompt file 'a.md' of revision 'v1': AuthorizationFailure",
    });
  });
});
