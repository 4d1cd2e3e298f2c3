/** Servers on one PostgreSQL that share documents and their index in a bucket: one indexes, and another takes over from it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../server/support/until.ts';
import { freshDatabase, POSTGRES } from '../support/postgres-database.ts';
import { startS3Server } from '../support/s3-server.ts';
import { type Cluster, type Member, openCluster } from './cluster.ts';

const LEASE_SECONDS = 2;
const LONG = 120_000;
// Added for a busy machine.
const SLACK_MS = 5_000;
// A listing, the commit, and a check of the index.
const SEEN_MS = 3_000 + 2_000 + SLACK_MS;

const s3 = POSTGRES === undefined ? undefined : await startS3Server();

interface Passage {
  document: string;
}

const found = async (at: Member, query: string): Promise<string[]> => {
  const response = await at.post('/knowledge/search', { query });
  const { passages = [] } = (await response.json()) as { passages?: Passage[] };
  return [...new Set(passages.map(({ document }) => document))].sort();
};

const upload = (at: Member, name: string, text: string) =>
  fetch(`${at.url}/api/v1/knowledge/documents/${name}`, { method: 'PUT', body: text });

describe.skipIf(!s3)('documents and index in a bucket', () => {
  let cluster: Cluster;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let sql: Bun.SQL;
  const servers: Member[] = [];
  let prefix = 'killed';
  const env = (): Record<string, string> => ({
    SERVICE_KNOWLEDGE_BASE__DOCUMENTS_PATH: `s3://cluster/${prefix}/docs`,
    SERVICE_KNOWLEDGE_BASE__INDEX_PATH: `s3://cluster/${prefix}/index`,
    SERVICE_KNOWLEDGE_BASE__ENDPOINT: s3?.endpoint ?? '',
    AWS_ACCESS_KEY_ID: s3?.credentials.access_key_id ?? '',
    AWS_SECRET_ACCESS_KEY: s3?.credentials.secret_access_key ?? '',
  });

  beforeAll(async () => {
    await s3?.makeBucket('cluster');
    database = await freshDatabase();
    sql = new Bun.SQL(database.url, { max: 1 });
    cluster = await openCluster({
      script: async () => ({ text: 'ok' }),
      leaseSeconds: LEASE_SECONDS,
      write: async () => {},
      urlOf: async () => database.url,
    });
  }, LONG);
  afterAll(async () => {
    await cluster?.close();
    await sql?.end();
    await database?.drop();
    await s3?.kill();
  });

  /** The lease of the index, while a server holds it. */
  async function holder(): Promise<string | undefined> {
    await Bun.sleep(50);
    const [row] =
      await sql`SELECT server FROM skein.sweeps WHERE name LIKE 'index %' AND until > clock_timestamp()`;
    return row?.server;
  }

  /** It is the indexer, because it is the only server. */
  async function firstServer(): Promise<Member> {
    for (const one of servers.splice(0)) {
      one.kill('SIGKILL');
      await one.exited;
    }
    const started = await server();
    await until(async () => (await holder()) !== undefined, SEEN_MS + LEASE_SECONDS * 2_000);
    return started;
  }

  async function server(): Promise<Member> {
    const started = await cluster.start(env());
    servers.push(started);
    return started;
  }

  test(
    'a document that is sent to one server is found by the other within seconds, which takes over within two leases if the indexer is killed',
    async () => {
      const indexer = await firstServer();
      const other = await server();

      const uploaded = await upload(other, 'gizmo.md', 'The gizmo squeaks when it is cold.');
      expect([uploaded.status, ((await uploaded.json()) as { state: string }).state]).toEqual([
        201,
        'indexed',
      ]);
      for (const server of [other, indexer])
        await until(async () => (await found(server, 'gizmo squeaks')).includes('gizmo.md'), SEEN_MS);
      expect((await upload(indexer, 'widget.md', 'The widget rattles at dawn.')).status).toBe(201);
      await until(async () => (await found(other, 'widget rattles')).includes('widget.md'), SEEN_MS);
      const { documents } = await other.get('/knowledge/documents');
      expect(documents.map(({ name }: { name: string }) => name)).toEqual(['gizmo.md', 'widget.md']);

      const before = await holder();
      indexer.kill('SIGKILL');
      await s3?.put('cluster', 'killed/docs/late.md', 'The sprocket hums in the night.');
      await until(
        async () => {
          const now = await holder();
          return now !== undefined && now !== before;
        },
        LEASE_SECONDS * 2_000 + SLACK_MS,
      );
      await until(async () => (await found(other, 'sprocket hums')).includes('late.md'), SEEN_MS);
      expect(await found(other, 'gizmo squeaks widget rattles')).toEqual(
        expect.arrayContaining(['gizmo.md', 'widget.md']),
      );
      expect((await other.delete('/knowledge/documents/gizmo.md')).status).toBe(204);
      expect(await found(other, 'gizmo squeaks')).not.toContain('gizmo.md');
    },
    LONG,
  );

  test(
    'a server that was paused for longer than its lease publishes nothing afterwards, and follows the new indexer',
    async () => {
      prefix = 'paused';
      const paused = await firstServer();
      const before = await holder();
      paused.kill('SIGSTOP');
      const other = await server();
      await until(async () => ![undefined, before].includes(await holder()), SEEN_MS);
      expect((await upload(other, 'one.md', 'The ratchet clicks.')).status).toBe(201);
      paused.kill('SIGCONT');
      expect((await upload(other, 'two.md', 'The pinion grinds.')).status).toBe(201);
      for (const server of [paused, other]) {
        await until(async () => (await found(server, 'ratchet clicks')).includes('one.md'), SEEN_MS * 2);
        await until(async () => (await found(server, 'pinion grinds')).includes('two.md'), SEEN_MS * 2);
        const { documents } = await server.get('/knowledge/documents');
        expect(documents.map(({ name, chunks }: { name: string; chunks: number }) => [name, chunks])).toEqual(
          [
            ['one.md', 1],
            ['two.md', 1],
          ],
        );
      }
    },
    LONG,
  );

  test(
    'a start does not warn that documents belong to one server',
    async () => {
      const started = await server();
      const { warnings, directories } = await started.get('/diagnostic');
      expect(JSON.stringify(warnings)).not.toContain('knowledge_base');
      expect(directories.knowledge_base).toBe('s3://cluster/paused/docs');
      expect(JSON.stringify(await started.get('/diagnostic'))).not.toContain('test-secret-key');
    },
    LONG,
  );
});
