/** Servers that are paused for longer than their lease, at any moment: their later writes are rejected. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../server/support/until.ts';
import { freshDatabase, POSTGRES, type TestDatabase } from '../support/postgres-database.ts';
import { ASYNC, type Cluster, type Member, openCluster } from './cluster.ts';
import { CHAIN, writeWorkflows } from './killed-workflows.ts';
import { agentsIn, numberedAnswers, problemsOf } from './numbered-answers.ts';
import { type Random, seeded } from './seeded.ts';
import { auditWrites, type WriteAudit } from './write-audit.ts';

const PAUSES = Number(process.env.SKEIN_TEST_PAUSES ?? 200);
const SEED = Number(process.env.SKEIN_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const LEASE_SECONDS = 1;
const THREADS = 12;

let database: TestDatabase;
let audit: WriteAudit;
let cluster: Cluster;
/** The servers that are paused, and one that never is. */
let paused: Member[];
let steady: Member;
const answers = numberedAnswers(seeded(SEED), 80);

interface StoredRun {
  run_id: string;
  thread: number;
  status: string;
  /** The error's code. */
  error: string | null;
  question: string;
  result: string;
}

/** The number of runs that a server has claimed. */
async function runsOf(name: string): Promise<number> {
  const [row] =
    await audit.sql`SELECT count(*)::int AS count FROM skein.runs AS r JOIN audit.servers AS s ON s.id = r.server
    WHERE r.finished_at IS NULL AND r.status = 'running' AND s.role LIKE ${`%_${name.replace('-', '_')}`}`;
  return row.count;
}

async function joins(name: string): Promise<number> {
  const [row] =
    await audit.sql`SELECT count(*)::int AS count FROM audit.servers WHERE role LIKE ${`%_${name.replace('-', '_')}`}`;
  return row.count;
}

describe.skipIf(POSTGRES === undefined)('paused servers', () => {
  beforeAll(async () => {
    database = await freshDatabase();
    audit = await auditWrites(database.url);
    cluster = await openCluster({
      ...{ script: answers.script, leaseSeconds: LEASE_SECONDS, write: writeWorkflows, urlOf: audit.urlOf },
    });
    const [first, ...others] = await Promise.all([
      cluster.start(),
      cluster.start(),
      cluster.start(),
      cluster.start(),
    ]);
    steady = first as Member;
    paused = others;
  }, 60_000);
  afterAll(async () => {
    await cluster?.close();
    await database?.drop();
    await audit?.close();
  });

  test(`a server that was paused for longer than its lease writes nothing (seed ${SEED}, ${PAUSES} pauses)`, async () => {
    const pausedNow = new Set<Member>();
    const runs: { runId: string; question: string; thread: string }[] = [];
    let questionCount = 0;
    /** The number of pauses of a server that had runs. */
    let pauseCount = 0;
    let busy = true;

    async function posts(thread: string, random: Random): Promise<void> {
      for (let turn = 0; busy; turn++) {
        const question = `q-${thread}-${turn}`;
        const awake = [steady, ...paused].filter((one) => !pausedNow.has(one));
        const at = random.of(awake);
        const body = {
          user_prompt: question,
          thread_id: `${thread}-${turn >> 3}`,
          conversation_flow: 'chain',
        };
        const post = () => at.post('/chat', body, { ...ASYNC, 'idempotency-key': question });
        let response = await post();
        // A server that has just been woken can miss its next lease on a busy machine. The key makes the retry safe.
        for (let tries = 1; response.status === 503 && tries < 20; tries++) {
          await Bun.sleep(500);
          response = await post();
        }
        const { run_id: runId } = (await response.json()) as { run_id: string };
        if (response.status !== 202) throw new Error(`not accepted: ${response.status}`);
        runs.push({ runId, question, thread: body.thread_id });
        await until(async () => (await steady.get(`/runs/${runId}`)).finished_at !== null, 120_000);
      }
    }

    async function pauses(victims: Member[], random: Random): Promise<void> {
      while (pauseCount < PAUSES) {
        const victim = random.of(victims.filter((one) => !pausedNow.has(one)));
        await Bun.sleep(random.below(500));
        if (pausedNow.has(victim)) continue;
        pausedNow.add(victim);
        questionCount++;
        const before = await joins(victim.name);
        victim.kill('SIGSTOP');
        if ((await runsOf(victim.name)) > 0) pauseCount++;
        await Bun.sleep(LEASE_SECONDS * 1000 + 50);
        await until(async () => (await runsOf(victim.name)) === 0, 60_000);
        await Bun.sleep(random.below(400));
        victim.kill('SIGCONT');
        await until(async () => (await joins(victim.name)) > before, 60_000);
        pausedNow.delete(victim);
      }
    }

    const posting = Array.from({ length: THREADS }, (_, index) =>
      posts(`t${index}`, seeded(SEED + 1 + index)),
    );
    await Promise.all([0, 1].map((index) => pauses(paused, seeded(SEED + 100 + index))));
    busy = false;
    await Promise.all(posting);

    expect(await audit.violations()).toEqual([]);
    const stored: StoredRun[] =
      await audit.sql`SELECT run_id, thread, status, error::json ->> 'code' AS error, result,
        request::json ->> 'userPrompt' AS question FROM skein.runs ORDER BY seq`;
    expect(stored.map(({ run_id }) => run_id).toSorted()).toEqual(runs.map(({ runId }) => runId).toSorted());
    for (const { question, status, error, result } of stored) {
      expect({ question, status, error }).toEqual({ question, status: 'succeeded', error: null });
      expect(agentsIn(result)).toEqual(CHAIN);
    }
    const messages: { run_id: string; count: number }[] =
      await audit.sql`SELECT run_id, count(*)::int AS count FROM skein.messages GROUP BY run_id`;
    expect(new Set(messages.map(({ count }) => count))).toEqual(new Set([2]));
    expect(messages).toHaveLength(runs.length);
    for (const turns of Map.groupBy(stored, ({ thread }) => thread).values())
      expect(problemsOf(answers.calls, turns, ['two'])).toEqual([]);
    const twice = answers.calls.length - CHAIN.length * runs.length;
    const [claims] =
      await audit.sql`SELECT count(*)::int AS count FROM audit.claims WHERE before IS NOT NULL`;
    console.log(
      `seed ${SEED}: ${questionCount} pauses, ${pauseCount} of a server with runs, ${runs.length} runs, ${claims.count} taken over, ` +
        `${answers.calls.length} model calls, ${twice} of them again, 0 writes of a server without its lease`,
    );
  }, 1_200_000);
});
