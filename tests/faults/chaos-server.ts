/** One server on a SQLite file that is killed, also while it starts, stopped, paused and denied access to its file by a lock. */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { type ServiceProcess, spawnCommand, spawnService } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../support/service.ts';
import { askState } from '../support/stored-state.ts';
import { type Chaos, type StoredRun, writeChaosProject } from './chaos.ts';
import { numberedAnswers } from './numbered-answers.ts';
import { seeded } from './seeded.ts';

interface Start {
  /** Milliseconds since 1970: no earlier call is from this process. */
  at: number;
  server: string;
}

const CHOICE = ['killed', 'killed', 'killed', 'killed at start', 'stopped', 'stopped', 'paused', 'locked'];

export async function openChaosServer(seed: number, owners: string[]): Promise<Chaos> {
  const random = seeded(seed);
  const answers = numberedAnswers(seeded(seed + 1), 40);
  const provider = scriptedProvider(answers.script);
  const folder = mkdtempSync(join(tmpdir(), 'skein-history-'));
  await writeChaosProject(folder, owners);
  const starts: Start[] = [];
  const outputs: { server: string; output(): string }[] = [];
  const done: Record<string, number> = {};
  const problems: string[] = [];
  const servers: ServiceProcess[] = [];
  let stopped = false;

  function env(): Record<string, string> {
    const server = `server-${starts.length + 1}`;
    starts.push({ at: Date.now(), server });
    return {
      ...WITHOUT_SAMPLES,
      ...providerEnv(provider.url),
      LLM_PROVIDER_API_KEY: server,
      // The model sees the whole thread.
      SERVICE_MEMORY__WINDOW_MESSAGES: '1000',
      SERVICE_MEMORY__WINDOW_TOKENS: '100000',
    };
  }

  async function start(): Promise<void> {
    const settings = env();
    const started = await spawnService(folder, settings);
    outputs.push({ server: settings.LLM_PROVIDER_API_KEY ?? '', output: started.output });
    servers.push(started);
  }

  async function end(server: ServiceProcess, signal: NodeJS.Signals): Promise<void> {
    server.kill(signal);
    const code = await server.exited;
    servers.splice(servers.indexOf(server), 1);
    if (signal === 'SIGTERM' && code !== 0)
      problems.push(`a stopped server exited with ${code}: ${server.output().slice(-2_000)}`);
  }

  const acts: Record<string, (server: ServiceProcess) => Promise<void>> = {
    async killed(server) {
      await end(server, 'SIGKILL');
      await start();
    },
    async 'killed at start'(server) {
      await end(server, 'SIGKILL');
      const starting = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, env());
      await Bun.sleep(random.below(1_000));
      starting.kill('SIGKILL');
      await starting.exited;
      await start();
    },
    async stopped(server) {
      await end(server, 'SIGTERM');
      await start();
    },
    async paused(server) {
      server.kill('SIGSTOP');
      await Bun.sleep(random.below(1_500));
      server.kill('SIGCONT');
    },
    async locked() {
      const file = new Database(join(folder, '.tmp', 'skein.db'));
      file.run('PRAGMA busy_timeout = 5000');
      file.run('BEGIN IMMEDIATE');
      await Bun.sleep(random.below(1_500));
      file.run('ROLLBACK');
      file.close();
    },
  };

  await start();
  return {
    ...{ answers, provider, servers, done, problems },
    said: (text) =>
      outputs.flatMap(({ server, output }) =>
        output()
          .split('\n')
          .filter((line) => line.includes(text))
          .map((line) => `${server}: ${line}`),
      ),
    async disturb() {
      while (!stopped) {
        // Measured in completed work instead of time, because a slow machine would only restart the server.
        const enough = answers.calls.length + random.below(80);
        await until(() => stopped || answers.calls.length >= enough, 10_000).catch(() => {});
        await Bun.sleep(random.below(300));
        const name = random.of(CHOICE);
        const [server] = servers;
        if (!server) throw new Error('no server is running');
        done[name] = (done[name] ?? 0) + 1;
        await acts[name]?.(server);
      }
    },
    stop() {
      stopped = true;
    },
    history: {
      runs: () => askState<StoredRun>(folder, STORED),
      async claims() {
        const runs = await askState<{ run_id: string }>(folder, 'SELECT run_id FROM runs');
        return runs.flatMap(({ run_id }) => starts.map((one) => ({ run_id, ...one })));
      },
      async unfinished() {
        const [row] = await askState<{ left: number }>(folder, UNFINISHED);
        return row?.left ?? 0;
      },
      damage: () => damageOf(folder),
    },
    async close() {
      for (const server of servers.splice(0)) {
        server.kill('SIGKILL');
        await server.exited;
      }
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const UNFINISHED = 'SELECT count(*) AS left FROM runs WHERE finished_at IS NULL';

const STORED = `SELECT r.run_id, t.owner, t.thread_id, r.request ->> 'userPrompt' AS question, r.workflow, r.status, r.result,
    r.error, (SELECT count(*) FROM messages AS m WHERE m.run_id = r.run_id AND m.thread = r.thread) AS messages,
    r.attempt - 1 AS takeovers
  FROM runs AS r JOIN threads AS t ON t.key = r.thread ORDER BY r.rowid`;

const ORPHANS = `SELECT count(*) AS left FROM checkpoints AS c
  WHERE NOT EXISTS (SELECT 1 FROM threads AS t WHERE printf('%012d', t.key) = c.thread)`;

async function damageOf(folder: string): Promise<string[]> {
  const checked = await askState<{ integrity_check: string }>(folder, 'PRAGMA integrity_check');
  const broken = await askState<{ table: string }>(folder, 'PRAGMA foreign_key_check');
  const [orphans] = await askState<{ left: number }>(folder, ORPHANS);
  return [
    ...checked.flatMap(({ integrity_check }) => (integrity_check === 'ok' ? [] : integrity_check)),
    ...broken.map(({ table }) => `a row of ${table} refers to a missing one`),
    ...(orphans?.left ? [`${orphans.left} checkpoints of deleted threads`] : []),
  ];
}
