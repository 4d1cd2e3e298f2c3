/** A run waits at a server that misses its execution by another server, and then continues it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { until } from '../server/support/until.ts';
import { tokensOf } from '../support/events.ts';
import { freshDatabase, POSTGRES, type TestDatabase } from '../support/postgres-database.ts';
import { ASYNC, type Cluster, openCluster } from './cluster.ts';
import { agentsOf, askedQuestions, heldQuestions } from './held-questions.ts';
import { writeWorkflows } from './killed-workflows.ts';

const LEASE_SECONDS = 2;
const LONG = 120_000;

const held = heldQuestions();
let database: TestDatabase;
let cluster: Cluster;

describe.skipIf(POSTGRES === undefined)('a run that was passed on', () => {
  beforeAll(async () => {
    database = await freshDatabase();
    const urlOf = () => Promise.resolve(database.url);
    cluster = await openCluster({
      ...{ script: held.script, leaseSeconds: LEASE_SECONDS, write: writeWorkflows, urlOf },
    });
  }, LONG);
  afterAll(async () => {
    await cluster?.close();
    await database?.drop();
  });

  test(
    'the server that accepted it continues it from what the other one stored, and numbers events after it',
    async () => {
      const accepting = await cluster.start();
      const free = held.hold('one', 'q-first');
      const freeSecond = held.hold('three', 'q-second');
      const post = async (question: string): Promise<string> => {
        const body = { user_prompt: question, thread_id: 'passed', conversation_flow: 'chain' };
        const response = await accepting.post('/chat', body, ASYNC);
        expect(response.status).toBe(202);
        return ((await response.json()) as { run_id: string }).run_id;
      };
      const asks = (agent: string, question: string, server: string) =>
        until(
          () =>
            askedQuestions(cluster.provider).some(
              (one) => one.agent === agent && one.question === question && one.server === server,
            ),
          60_000,
        );
      await post('q-first');
      await asks('one', 'q-first', accepting.name);
      const runId = await post('q-second');

      // It gets no notification of what another server does with its runs.
      accepting.kill('SIGSTOP');
      const other = await cluster.start();
      const sql = new SQL({ url: database.url, max: 1 });
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query ILIKE 'listen%'`;
      await sql.close({ timeout: 0 });
      free();
      await asks('three', 'q-second', other.name);
      other.kill('SIGKILL');
      await other.exited;
      await Bun.sleep(LEASE_SECONDS * 1000 + 500);
      accepting.kill('SIGCONT');
      await asks('three', 'q-second', accepting.name);
      freeSecond();
      await until(async () => (await accepting.get(`/runs/${runId}`)).status === 'succeeded', 60_000);

      const events = await accepting.events(runId);
      expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
      for (const agent of ['one', 'three', 'four'])
        expect(tokensOf(events, agent)).toBe(`${agent} on q-second`);
      expect(agentsOf(cluster.provider, 'q-second')).toEqual(['one', 'two', 'three', 'three', 'four']);
    },
    LONG,
  );
});
