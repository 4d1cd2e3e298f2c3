/** Libraries whose documents and index are in an object store: one server indexes, and others search. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { localSweeps } from '../../../../state/cluster/sweeps.ts';
import { openReader } from '../../../../tools/knowledge/documents/process/open-reader.ts';
import type { Embedder } from '../../../../tools/knowledge/embedding/embedder.ts';
import { hashedEmbedder } from '../../../../tools/knowledge/embedding/hashed.ts';
import { bucketFolder } from '../../../../tools/knowledge/shared/bucket-folder.ts';
import { openSharedLibrary, type SharedLibrary } from '../../../../tools/knowledge/shared/open.ts';
import { type StoreLocation, storeLocation } from '../../../../tools/knowledge/storage/open-store.ts';
import { until } from '../../../server/support/until.ts';
import { startAzurite } from '../../../support/azurite.ts';
import { startS3Server } from '../../../support/s3-server.ts';
import { documentsOf } from '../local/open-library.ts';

// Other tests may keep the machine busy.
setDefaultTimeout(120_000);

const [s3, azurite] = await Promise.all([startS3Server(), startAzurite()]);
await s3?.makeBucket('shared');
const container = azurite?.service.getContainerClient('shared');
await container?.create();
afterAll(async () => {
  await Promise.all([s3?.kill(), azurite?.kill()]);
});

interface Kind {
  name: string;
  skip: boolean;
  place(prefix: string, part: 'documents' | 'index'): StoreLocation;
  put(key: string, text: string): Promise<unknown>;
  remove(key: string): Promise<unknown>;
  keys(prefix: string): Promise<string[]>;
}

const settingOf = (part: 'documents' | 'index') => `knowledge_base.${part}_path` as const;

const KINDS: Kind[] = [
  {
    name: 'S3',
    skip: !s3,
    place(prefix, part) {
      const address = { scheme: 's3', bucket: 'shared', prefix: `${prefix}/${part}/` } as const;
      const options = { endpoint: s3?.endpoint, credentials: s3?.credentials };
      return storeLocation(address, options, settingOf(part));
    },
    put: async (key, text) => s3?.put('shared', key, text),
    remove: async (key) => s3?.remove('shared', key),
    keys: async (prefix) => ((await s3?.keys('shared')) ?? []).filter((key) => key.startsWith(prefix)),
  },
  {
    name: 'Azure',
    skip: !azurite,
    place(prefix, part) {
      const address = { scheme: 'az', bucket: 'shared', prefix: `${prefix}/${part}/` } as const;
      return storeLocation(
        address,
        { credentials: { connection_string: azurite?.connectionString } },
        settingOf(part),
      );
    },
    put: async (key, text) =>
      container?.getBlockBlobClient(key).upload(text, new TextEncoder().encode(text).byteLength),
    remove: async (key) => container?.deleteBlob(key),
    keys: async (prefix) =>
      (await Array.fromAsync(container?.listBlobsFlat({ prefix }) ?? [])).map(({ name }) => name),
  },
];

let count = 0;

/** Servers with one shared location, which are closed after the test. */
function servers(kind: Kind) {
  const prefix = `library${count++}`;
  const opened: SharedLibrary[] = [];
  const logged: string[] = [];
  const say = (_fields: object, message: string) => void logged.push(message);
  const hashed = hashedEmbedder();
  const embedded = { passages: 0 };
  const embedder: Embedder = {
    ...hashed,
    embed(texts, ...rest) {
      if (rest[0] === 'passage') embedded.passages += texts.length;
      return hashed.embed(texts, ...rest);
    },
  };
  return {
    prefix,
    logged,
    /** The number of passages that all servers have embedded. */
    embedded,
    open(): SharedLibrary {
      const library = openSharedLibrary({
        folder: bucketFolder(kind.place(prefix, 'documents')),
        index: kind.place(prefix, 'index'),
        leases: localSweeps,
        leaseMs: 400,
        openEmbedder: async () => embedder,
        openReader: () => openReader({ processes: 1 }),
        log: { info: say, warn: say },
      });
      opened.push(library);
      return library;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((library) => library.close()));
    },
  };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const SECONDS = 20_000;

for (const kind of KINDS)
  describe.skipIf(kind.skip)(kind.name, () => {
    test("a document that is uploaded to a server that doesn't index is found by both servers, and removed from both", async () => {
      await using all = servers(kind);
      const [indexing, other] = [all.open(), all.open()];
      expect(await other.search('gizmo')).toEqual({ found: false, passages: [] });
      indexing.watch();
      const text = `# Gizmos\n\n${'The gizmo squeaks when it is cold. '.repeat(60)}`;
      const { document, created } = await other.add('gizmo.md', bytes(text));
      expect({ created, ...document }).toMatchObject({ created: true, name: 'gizmo.md', state: 'indexed' });
      expect(document.chunks).toBeGreaterThan(1);
      for (const library of [other, indexing]) {
        await until(async () => (await library.search('gizmo squeaks')).found, SECONDS);
        const { passages } = await library.search('gizmo squeaks cold', { limit: 2 });
        expect(passages.map(({ document: name }) => name)).toEqual(['gizmo.md', 'gizmo.md']);
        // The part around a passage is longer than the passage.
        expect(passages[0]?.context.length).toBeGreaterThan(passages[0]?.text.length ?? 0);
        const listed = (await library.documents()).map(({ name, state }) => [name, state]);
        expect(listed).toEqual([['gizmo.md', 'indexed']]);
      }
      expect(await other.remove('gizmo.md')).toBe(true);
      expect((await other.search('gizmo squeaks')).passages).toEqual([]);
      await until(async () => (await indexing.documents()).length === 0, SECONDS);
      expect(await other.remove('gizmo.md')).toBe(false);
    });

    test('changes by other programs in the store are seen', async () => {
      await using all = servers(kind);
      const [indexing, other] = [all.open(), all.open()];
      indexing.watch();
      await kind.put(`${all.prefix}/documents/sub/by hand.md`, 'The widget rattles.');
      await until(async () => (await other.search('widget rattles')).found, SECONDS);
      await kind.put(`${all.prefix}/documents/sub/by hand.md`, 'The sprocket hums.');
      await until(async () => (await other.search('sprocket hums')).found, SECONDS);
      expect((await other.search('widget rattles')).found).toBe(false);
      expect(documentsOf(await other.search('sprocket'))).toEqual(['sub/by hand.md']);
      await kind.remove(`${all.prefix}/documents/sub/by hand.md`);
      await until(async () => (await other.search('sprocket hums')).passages.length === 0, SECONDS);
    });

    test('another server continues with the index, and embeds nothing again', async () => {
      await using all = servers(kind);
      const first = all.open();
      first.watch();
      await first.add('a.md', bytes('The gizmo squeaks.'));
      await first.close();
      const second = all.open();
      second.watch();
      await second.add('b.md', bytes('The widget rattles.'));
      expect(documentsOf(await second.search('gizmo widget squeaks rattles'))).toEqual(['a.md', 'b.md']);
      const tables = (await kind.keys(`${all.prefix}/index/`)).flatMap(
        (key) => /(\w+-\w+)\.lance\//.exec(key)?.[1] ?? [],
      );
      expect(new Set(tables).size).toBe(2);
      expect(all.embedded.passages).toBe(2);
    });

    test('two servers that both believe they hold the lease lose and duplicate nothing', async () => {
      await using all = servers(kind);
      const [one, two, reader] = [all.open(), all.open(), all.open()];
      const names = Array.from({ length: 9 }, (_, at) => `part${at}.md`);
      for (const [round, library] of [one, two, reader].entries()) {
        // The second takes over the index; the first notices when it writes or checks again.
        if (library !== reader) library.watch();
        for (const name of names.slice(round * 3, round * 3 + 3))
          await kind.put(`${all.prefix}/documents/${name}`, `The gizmo of ${name} squeaks.`);
        await until(async () => {
          const documents = await reader.documents();
          return documents.length >= round * 3 + 3 && documents.every(({ state }) => state === 'indexed');
        }, 60_000);
      }
      const { passages } = await reader.search('gizmo squeaks', { limit: 50 });
      expect(passages.map(({ document }) => document).sort()).toEqual(names);
    });

    test('the next indexing server rebuilds an index with a damaged table', async () => {
      await using all = servers(kind);
      const first = all.open();
      first.watch();
      await first.add('a.md', bytes('The gizmo squeaks.'));
      await first.close();
      const keys = await kind.keys(`${all.prefix}/index/`);
      for (const key of keys) if (/passages-\w+\.lance\/data\//.test(key)) await kind.remove(key);
      const [second, reader] = [all.open(), all.open()];
      second.watch();
      await until(async () => all.logged.includes('the index cannot be read and is being rebuilt'), SECONDS);
      // Until then, a reader may find the damaged table.
      const search = () => reader.search('gizmo squeaks').catch(() => ({ found: false }));
      await until(async () => (await search()).found, SECONDS);
    });

    test('an index whose catalog is removed is rebuilt in new tables', async () => {
      await using all = servers(kind);
      const library = all.open();
      library.watch();
      await library.add('a.md', bytes('The gizmo squeaks.'));
      const keys = await kind.keys(`${all.prefix}/index/`);
      await kind.remove(keys.find((key) => key.endsWith('catalog.json.gz')) ?? '');
      const other = all.open();
      await until(async () => (await other.search('gizmo squeaks')).found, SECONDS);
      const now = await kind.keys(`${all.prefix}/index/`);
      const before = keys
        .find((key) => key.includes('passages-'))
        ?.split('/')
        .at(3);
      expect(now.some((key) => key.includes(`${before}/`))).toBe(false);
    });
  });
