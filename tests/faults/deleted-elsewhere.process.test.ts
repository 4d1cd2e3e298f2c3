/** A caller waits at one server for a run that another executes, and its thread is deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../server/support/until.ts';
import { POSTGRES } from '../support/postgres-database.ts';
import { ASYNC, type Cluster, openCluster } from './cluster.ts';
import { askedQuestions, heldQuestions } from './held-questions.ts';
import { writeWorkflows } from './killed-workflows.ts';

const LONG = 60_000;
const held = heldQuestions();
let cluster: Cluster;

describe.skipIf(POSTGRES === undefined)('a run of another server', () => {
  beforeAll(async () => {
    cluster = await openCluster({ ...{ script: held.script, leaseSeconds: 5, write: writeWorkflows } });
  }, LONG);
  afterAll(() => cluster?.close());

  test(
    'is reported as cancelled when its thread is deleted',
    async () => {
      const accepting = await cluster.start({ SERVICE_LIMITS__CONCURRENT_RUNS: '1' });
      const frees = [held.hold('one', 'q-first'), held.hold('one', 'q-second')];
      const body = (question: string) => ({
        user_prompt: question,
        thread_id: question,
        conversation_flow: 'chain',
      });
      const isAsked = (question: string) => () =>
        askedQuestions(cluster.provider).some((one) => one.question === question);
      await accepting.post('/chat', body('q-first'), ASYNC);
      await until(isAsked('q-first'), 20_000);
      const answer = accepting.post('/chat', body('q-second'));
      const other = await cluster.start();
      await until(isAsked('q-second'), 20_000);
      const metrics = async () => (await fetch(`${accepting.url}/metrics`)).text();
      await until(async () => (await metrics()).includes('skein_runs{state="waiting"} 0'), 20_000);
      // It looks for the run's end when the run is already deleted.
      accepting.kill('SIGSTOP');
      expect((await other.delete('/threads/q-second')).status).toBe(204);
      accepting.kill('SIGCONT');
      const response = await answer;
      const problem = (await response.json()) as { error_code: string };
      expect({ status: response.status, code: problem.error_code }).toEqual({
        ...{ status: 409, code: 'RUN_CANCELLED' },
      });
      for (const free of frees) free();
    },
    LONG,
  );
});
