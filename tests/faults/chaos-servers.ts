/** Three servers on one PostgreSQL that are killed, paused, stopped and cut off while others use them. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type DatabaseServer, findPrograms, makeServer } from '../support/database-server.ts';
import { POSTGRES_SERVER } from '../support/postgres-server.ts';
import { writeGraphs } from '../support/service.ts';
import { type Cluster, type Member, openCluster } from './cluster.ts';
import { type NumberedAnswers, numberedAnswers } from './numbered-answers.ts';
import { type Random, seeded } from './seeded.ts';
import { auditWrites, type WriteAudit } from './write-audit.ts';

const LEASE_SECONDS = 1;
const SERVERS = 3;

export interface Chaos {
  answers: NumberedAnswers;
  said: Cluster['said'];
  provider: Cluster['provider'];
  audit: WriteAudit;
  /** Those that have not been told to end. Some may be paused, or dead without being known to be. */
  servers: Member[];
  /** How often each was done. */
  done: Record<string, number>;
  /** Exit codes of servers that were told to end, where not 0, and what servers have printed on failing. */
  problems: string[];
  /** Disturbs until `stop` is called; resolves when all servers are well again. */
  disturb(): Promise<void>;
  stop(): void;
  close(): Promise<void>;
}

const AGENT = (name: string) =>
  `.addNode('${name}', agent('${name}', async (_state, { answer }) => answer('You are ${name}')))`;
const GRAPHS = {
  pair: `export default workflow({
    description: 'Two agents.', example: 'Hello',
    agents: () => ['first', 'second'].map((name) => ({ name, description: name })),
    build: ({ agent }) => new StateGraph(Conversation)${AGENT('first')}${AGENT('second')}
      .addEdge(START, 'first').addEdge('first', 'second').addEdge('second', END),
  });`,
  asking: `export default workflow({
    description: 'Asks twice.', example: 'Hello',
    agents: () => ['asker', 'closer'].map((name) => ({ name, description: name })),
    build: ({ agent }) => new StateGraph(Conversation)
      .addNode('asker', agent('asker', async () => ({ content: interrupt('one?') + ', ' + interrupt('two?') })))${AGENT('closer')}
      .addEdge(START, 'asker').addEdge('asker', 'closer').addEdge('closer', END),
  });`,
};

export const AGENTS = ['first', 'second'];
export const keyOf = (owner: string) => `key-of-${owner}`;

export async function openChaos(seed: number, owners: string[]): Promise<Chaos> {
  const random = seeded(seed);
  const answers = numberedAnswers(seeded(seed + 1), 40);
  let crashes = false;
  const kind = {
    ...POSTGRES_SERVER,
    /** Without a crash, what was committed and not yet on the disk is written before the end. */
    get killSignal(): NodeJS.Signals {
      return crashes ? 'SIGQUIT' : 'SIGINT';
    },
  };
  const postgres: DatabaseServer = await makeServer(kind, findPrograms(POSTGRES_SERVER) ?? '');
  await postgres.start();
  const audit = await auditWrites(`postgres://admin@127.0.0.1:${postgres.port}/postgres`);
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const keys = owners.map((name) => `{name: ${name}, sha256: "${sha256(keyOf(name))}"}`);
  const cluster: Cluster = await openCluster({
    ...{ script: answers.script, leaseSeconds: LEASE_SECONDS, urlOf: audit.urlOf },
    async write(folder) {
      await writeGraphs(folder, GRAPHS);
      await Bun.write(
        join(folder, 'config.yml'),
        `web_configuration:\n  authentication: {enable: true, enable_global_middleware: true, username: root, password: secret, jwt_secret_key: "${'k'.repeat(48)}", api_keys: [${keys}]}\n`,
      );
    },
  });
  const servers = await Promise.all(Array.from({ length: SERVERS }, () => cluster.start()));
  const done: Record<string, number> = {};
  const problems: string[] = [];
  const settled = new Set<Promise<void>>();
  let stopped = false;

  async function replaced(server: Member): Promise<void> {
    servers.splice(servers.indexOf(server), 1);
    // While the database is away, nothing starts.
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
      // The database may be away itself.
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
    ...{ answers, provider: cluster.provider, said: cluster.said, audit, servers, done, problems },
    async disturb() {
      const busy = new Set<Member>();
      while (!stopped) {
        await Bun.sleep(300 + random.below(1_500));
        const free = servers.filter((one) => !busy.has(one));
        // One is left alone at any time.
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
    async close() {
      await cluster.close();
      await audit.sql.close({ timeout: 0 });
      await postgres.remove();
    },
  };
}
