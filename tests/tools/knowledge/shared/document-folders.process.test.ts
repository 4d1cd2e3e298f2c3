/** Folders of documents on the disk and in object stores: one contract, and conditional writes. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { documentFolder } from '../../../../tools/knowledge/local/folder/document-folder.ts';
import { bucketFolder } from '../../../../tools/knowledge/shared/bucket-folder.ts';
import { storeLocation } from '../../../../tools/knowledge/storage/open-store.ts';
import { documentFolderContract } from '../../../contracts/document-folder.ts';
import { startAzurite } from '../../../support/azurite.ts';
import { startGcsDouble } from '../../../support/gcs-double.ts';
import { startS3Server } from '../../../support/s3-server.ts';

// Other tests may keep the machine busy.
setDefaultTimeout(120_000);

const [s3, azurite] = await Promise.all([startS3Server(), startAzurite()]);
const google = startGcsDouble();
const base = mkdtempSync(join(tmpdir(), 'skein-folders-test-'));
afterAll(async () => {
  await Promise.all([s3?.kill(), azurite?.kill(), google.stop()]);
  rmSync(base, { recursive: true });
});

const SETTING = 'knowledge_base.documents_path';
let count = 0;

describe('on the disk', () => {
  documentFolderContract(async () => {
    const path = mkdtempSync(join(base, 'folder-'));
    const put = async (name: string, text: string) => {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), text);
    };
    return { folder: documentFolder(path), put };
  });
});

describe.skipIf(!s3)('in a bucket of S3', () => {
  documentFolderContract(async () => {
    if (!s3) throw new Error('no server');
    const { endpoint, credentials } = s3;
    await s3.makeBucket('documents');
    const prefix = `team ${count++}/docs/`;
    const address = { scheme: 's3', bucket: 'documents', prefix } as const;
    const folder = bucketFolder(storeLocation(address, { endpoint, credentials }, SETTING));
    return { folder, put: (name, text) => s3.put('documents', prefix + name, text) };
  });
});

describe.skipIf(!azurite)('in a container of Azure', () => {
  documentFolderContract(async () => {
    if (!azurite) throw new Error('no server');
    const container = azurite.service.getContainerClient('documents');
    await container.createIfNotExists();
    const prefix = `team ${count++}/docs/`;
    const address = { scheme: 'az', bucket: 'documents', prefix } as const;
    const credentials = { connection_string: azurite.connectionString };
    const folder = bucketFolder(storeLocation(address, { credentials }, SETTING));
    const put = async (name: string, text: string) => {
      await container.getBlockBlobClient(prefix + name).upload(text, Buffer.byteLength(text));
    };
    return { folder, put };
  });
});

describe("in a bucket of Google, with a double of the store's API", () => {
  documentFolderContract(async () => {
    const prefix = `team ${count++}/docs/`;
    const address = { scheme: 'gs', bucket: 'documents', prefix } as const;
    const folder = bucketFolder(storeLocation(address, { endpoint: google.endpoint }, SETTING));
    return { folder, put: async (name, text) => google.put('documents', prefix + name, text) };
  });
});

const PLACES = [
  {
    name: 'S3',
    skip: !s3,
    address: { scheme: 's3', bucket: 'documents', prefix: 'conditions/' } as const,
    options: { endpoint: s3?.endpoint, credentials: s3?.credentials },
  },
  {
    name: 'Azure',
    skip: !azurite,
    address: { scheme: 'az', bucket: 'documents', prefix: 'conditions/' } as const,
    options: { credentials: { connection_string: azurite?.connectionString } },
  },
  {
    name: 'Google',
    skip: false,
    address: { scheme: 'gs', bucket: 'documents', prefix: 'conditions/' } as const,
    options: { endpoint: google.endpoint },
  },
];

for (const { name, skip, address, options } of PLACES)
  test.skipIf(skip)(
    `${name}: of two writes with one condition, the first succeeds, and its tag allows the next`,
    async () => {
      await s3?.makeBucket('documents');
      await azurite?.service.getContainerClient('documents').createIfNotExists();
      const store = await storeLocation(address, options, SETTING).store();
      const bytes = new TextEncoder().encode('text');
      const first = await store.put('a', bytes, 'absent');
      expect(first).toBeString();
      expect(await store.put('a', bytes, 'absent')).toBeUndefined();
      expect(await store.get('a', { unless: first, limit: 10 })).toBe('unchanged');
      const next = new TextEncoder().encode('next');
      const second = await store.put('a', next, { tag: first ?? '' });
      expect(second).not.toBe(first);
      expect(await store.put('a', bytes, { tag: first ?? '' })).toBeUndefined();
      expect(await store.put('gone', bytes, { tag: first ?? '' })).toBeUndefined();
      expect(await store.get('a', { unless: first, limit: 10 })).toMatchObject({ bytes: next, tag: second });
      expect(store.get('a', { limit: 3 })).rejects.toThrow('too large');
      await store.remove('a');
      await store.remove('a');
      expect(await store.head('a')).toBeUndefined();
    },
  );
