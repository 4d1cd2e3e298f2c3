/** The only server of a database is paused for longer than its lease, several times during the same model call. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../server/support/until.ts';
import { POSTGRES } from '../support/postgres-database.ts';
import { ASYNC, type Cluster, openCluster } from './cluster.ts';
import { agentsOf, heldQuestions } from './held-questions.ts';
import { writeWorkflows } from './killed-workflows.ts';

const LEASE_SECONDS = 1;
/** After as many crashes, the run would fail with RUN_CRASHED. */
const PAUSES = 3;
const LONG = 60_000;

const held = heldQuestions();
let cluster: Cluster;

describe.skipIf(POSTGRES === undefined)('a server that is paused repeatedly', () => {
  beforeAll(async () => {
    cluster = await openCluster({
      ...{ script: held.script, leaseSeconds: LEASE_SECONDS, write: writeWorkflows },
    });
  }, LONG);
  afterAll(() => cluster?.close());

  test(
    'continues its run each time',
    async () => {
      const server = await cluster.start({ SERVICE_LIMITS__CONCURRENT_RUNS: '1' });
      const free = held.hold('one', 'q-held');
      const body = { user_prompt: 'q-held', thread_id: 'held', conversation_flow: 'chain' };
      const { run_id: runId } = (await (await server.post('/chat', body, ASYNC)).json()) as {
        run_id: string;
      };
      const asked = () => agentsOf(cluster.provider, 'q-held').length;
      await until(() => asked() === 1, 20_000);
      for (let pause = 1; pause <= PAUSES; pause++) {
        server.kill('SIGSTOP');
        await Bun.sleep(LEASE_SECONDS * 1000 + 300);
        server.kill('SIGCONT');
        await until(() => asked() === pause + 1, 20_000);
      }
      free();
      await until(async () => (await server.get(`/runs/${runId}`)).finished_at !== null, 20_000);
      expect(await server.get(`/runs/${runId}`)).toMatchObject({ status: 'succeeded' });
    },
    LONG,
  );
});
