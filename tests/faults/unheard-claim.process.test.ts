/** A queued run is claimed by another server, and the server that accepted it misses the notification. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { until } from '../server/support/until.ts';
import { freshDatabase, POSTGRES } from '../support/postgres-database.ts';
import { listening, spawnCommand } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../support/service.ts';
import { ASYNC } from './cluster.ts';
import { agentsOf, heldQuestions } from './held-questions.ts';
import { writeWorkflows } from './killed-workflows.ts';

setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-unheard-'));
const held = heldQuestions();
const provider = scriptedProvider(held.script);
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

test.skipIf(POSTGRES === undefined)(
  'the server still stops after SIGTERM if the run was cancelled, too',
  async () => {
    await writeWorkflows(folder);
    const database = await freshDatabase();
    const sql = new SQL({ url: database.url, max: 1 });
    const flags = ['--port', '0', '--host', '127.0.0.1', '--log-level', 'error', '--drain-seconds', '1'];
    const service = await listening(
      spawnCommand(['serve', ...flags], folder, {
        ...WITHOUT_SAMPLES,
        ...providerEnv(provider.url),
        SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
        SERVICE_CHAT_HISTORY__CONNECTION_STRING: database.url,
        SERVICE_LIMITS__CONCURRENT_RUNS: '1',
        // Long: the next renewal would replace the notification.
        SERVICE_CLUSTER__LEASE_SECONDS: '120',
      }),
    );
    const post = (path: string, body: object) =>
      fetch(`${service.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...ASYNC },
        body: JSON.stringify(body),
      });
    const chat = async (question: string): Promise<string> => {
      const body = { user_prompt: question, thread_id: question, conversation_flow: 'chain' };
      return ((await (await post('/chat', body)).json()) as { run_id: string }).run_id;
    };
    const free = held.hold('one', 'q-first');
    await chat('q-first');
    await until(() => agentsOf(provider, 'q-first').length === 1, 20_000);
    const runId = await chat('q-second');

    await sql`SELECT skein.join_v1('other', 600)`;
    await sql`SELECT skein.claim_v1(1, 'other')`;
    expect([...(await sql`SELECT server FROM skein.runs WHERE run_id = ${runId}`)]).toEqual([
      { server: 'other' },
    ]);
    const cancelled = post(`/runs/${runId}/cancel`, {}).catch(() => {});
    await until(
      async () => (await sql`SELECT stop FROM skein.runs WHERE run_id = ${runId}`)[0].stop !== null,
    );
    service.kill('SIGTERM');
    expect(await Promise.race([service.exited, Bun.sleep(15_000)])).toBe(0);
    service.kill('SIGKILL');
    free();
    await cancelled;
    await sql.close({ timeout: 0 });
    await database.drop();
  },
);
