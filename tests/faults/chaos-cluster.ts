/** Three servers on one PostgreSQL that are killed, paused, stopped and cut off while callers use them. */
import { type DatabaseServer, findPrograms, makeServer } from '../support/database-server.ts';
import { POSTGRES_SERVER } from '../support/postgres-server.ts';
import { type Chaos, writeChaosProject } from './chaos.ts';
import { type Cluster, type Member, openCluster } from './cluster.ts';
import { numberedAnswers } from './numbered-answers.ts';
import { type Random, seeded } from './seeded.ts';
import { auditWrites, type WriteAudit } from './write-audit.ts';

const LEASE_SECONDS = 1;
const SERVERS = 3;

export async function openChaosCluster(seed: number, owners: string[]): Promise<Chaos> {
  const random = seeded(seed);
  const answers = numberedAnswers(seeded(seed + 1), 40);
  let crashes = false;
  const kind = {
    ...POSTGRES_SERVER,
    /** Unless it crashes, the database writes committed data to the disk before it stops. */
    get killSignal(): NodeJS.Signals {
      return crashes ? 'SIGQUIT' : 'SIGINT';
    },
  };
  const postgres: DatabaseServer = await makeServer(kind, findPrograms(POSTGRES_SERVER) ?? '');
  await postgres.start();
  const audit = await auditWrites(`postgres://admin@127.0.0.1:${postgres.port}/postgres`);
  const cluster: Cluster = await openCluster({
    ...{ script: answers.script, leaseSeconds: LEASE_SECONDS, urlOf: audit.urlOf },
    write: (folder) => writeChaosProject(folder, owners),
  });
  const servers = await Promise.all(Array.from({ length: SERVERS }, () => cluster.start()));
  const done: Record<string, number> = {};
  const problems: string[] = [];
  const settled = new Set<Promise<void>>();
  let stopped = false;

  async function replaced(server: Member): Promise<void> {
    servers.splice(servers.indexOf(server), 1);
    // No server can start while the database is down.
    for (let tries = 1; ; tries++) {
      const started = await cluster.start().catch((error: unknown) => error);
      if (!(started instanceof Error)) return void servers.push(started as Member);
      if (tries === 5) throw started;
      await Bun.sleep(500);
    }
  }

  const acts: Record<string, (server: Member, random: Random) => Promise<void>> = {
    async killed(server) {
      server.kill('SIGKILL');
      await server.exited;
      await replaced(server);
    },
    async stopped(server) {
      server.kill('SIGTERM');
      const code = await server.exited;
      if (code !== 0) problems.push(`${server.name} ended with ${code}: ${server.output().slice(-2_000)}`);
      await replaced(server);
    },
    async paused(server, random) {
      server.kill('SIGSTOP');
      await Bun.sleep(100 + random.below(LEASE_SECONDS * 3_000));
      server.kill('SIGCONT');
    },
    async cut() {
      // The database itself may be down.
      const cut = audit.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'skein' AND pid <> pg_backend_pid() AND random() < 0.5`;
      await cut.catch(() => {});
    },
    async restarted(_server, random) {
      crashes = random.below(2) === 0;
      await postgres.kill();
      await Bun.sleep(random.below(LEASE_SECONDS * 1_500));
      await postgres.start();
    },
  };
  const CHOICE = [
    'killed',
    'killed',
    'stopped',
    'paused',
    'paused',
    'paused',
    'paused',
    'cut',
    'cut',
    'restarted',
  ];

  return {
    ...{ answers, provider: cluster.provider, said: cluster.said, servers, done, problems },
    async disturb() {
      const busy = new Set<Member>();
      while (!stopped) {
        await Bun.sleep(300 + random.below(1_500));
        const free = servers.filter((one) => !busy.has(one));
        // At least one server is always undisturbed.
        if (free.length < 2) continue;
        const name = random.of(CHOICE);
        const server = random.of(free);
        done[name] = (done[name] ?? 0) + 1;
        if (name === 'restarted') await acts[name]?.(server, random);
        else {
          busy.add(server);
          const act = (acts[name]?.(server, random) ?? Promise.resolve())
            .catch((error) => void problems.push(`${name}: ${error}`))
            .finally(() => busy.delete(server));
          settled.add(act);
        }
      }
      await Promise.all(settled);
    },
    stop() {
      stopped = true;
    },
    history: historyOf(audit),
    async close() {
      await cluster.close();
      await audit.sql.close({ timeout: 0 });
      await postgres.remove();
    },
  };
}

// Except hidden threads: the next sweep completes the deletion that a killed server has started.
const STORED = `SELECT r.run_id, t.owner, t.thread_id, r.request::json ->> 'userPrompt' AS question, r.workflow, r.status,
    r.result, r.error, (SELECT count(*)::int FROM skein.messages AS m WHERE m.run_id = r.run_id AND m.thread = r.thread) AS messages,
    (SELECT count(*)::int FROM audit.claims AS c WHERE c.run_id = r.run_id AND c.before IS NOT NULL) AS takeovers
  FROM skein.runs AS r JOIN skein.threads AS t ON t.key = r.thread AND t.owner <> '' ORDER BY r.seq`;

function historyOf({ sql, violations }: WriteAudit): Chaos['history'] {
  return {
    runs: () => sql.unsafe(STORED),
    async claims() {
      const claims: { run_id: string; at: number; role: string }[] =
        await sql`SELECT run_id, (extract(epoch FROM at) * 1000)::float AS at, role FROM audit.claims ORDER BY at`;
      return claims.map(({ role, ...claim }) => ({ ...claim, server: serverOf(role) }));
    },
    async unfinished() {
      const [{ left }] = await sql`SELECT count(*)::int AS left FROM skein.runs WHERE finished_at IS NULL`;
      return left;
    },
    async damage() {
      const [{ left }] = await sql`SELECT count(*)::int AS left FROM skein.checkpoints AS c
        WHERE NOT EXISTS (SELECT 1 FROM skein.threads AS t WHERE t.key = c.thread::bigint)`;
      const orphans = left > 0 ? [`${left} checkpoints of deleted threads`] : [];
      return [...(await violations()).map((one) => JSON.stringify(one)), ...orphans];
    },
  };
}

/** The name of a server from that of its database role. */
const serverOf = (role: string) => role.slice(role.indexOf('_') + 1).replace('_', '-');
