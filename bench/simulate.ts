/**
 * Simulates leases and claims of many servers: the service's SQL functions on a real PostgreSQL, with a simulated clock.
 * Servers, network and runs are simulated with the assumptions in MODEL; see docs/capacity.md. Run it separately:
 * `bun bench/simulate.ts [SEED]`.
 */
import { openDatabase } from '../state/postgres/database/database.ts';
import { openMigrated } from '../state/postgres/database/open-migrated.ts';
import { RUN_FUNCTIONS } from '../state/postgres/runs/functions/functions.ts';
import { quantile } from './load.ts';
import { startPostgres } from './private-postgres.ts';

const MODEL = {
  servers: 1_000,
  leaseSeconds: 10,
  /** Interval of lease renewals; the first one is at a random time. */
  renewSeconds: 2.5,
  /** Latency of a message to or from the database, and of a hint: uniformly distributed between these. */
  networkSeconds: [0.000_5, 0.005],
  runsPerSecond: 100,
  runSeconds: 5,
  slots: 16,
  seconds: 36,
  killedAt: 8,
  killed: 100,
} as const;

interface Server {
  id: string;
  alive: boolean;
  running: Set<string>;
  /** It has been notified of waiting runs. */
  claiming: boolean;
}

interface Kind {
  calls: number;
  /** Real times in PostgreSQL in milliseconds. */
  ms: number[];
}

const seed = Number(process.argv[2] ?? 1);
let random = seed;
/** A seeded linear congruential generator (Numerical Recipes). */
function chance(): number {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
  return random / 2 ** 32;
}

const between = ([least, most]: readonly [number, number]) => least + chance() * (most - least);
const travel = () => between(MODEL.networkSeconds);

/** Events by simulated time. The earliest is last, so that `pop` returns it. */
const events: { at: number; work: () => Promise<void> }[] = [];
function at(time: number, work: () => Promise<void>): void {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.at ?? 0) > time) low = middle + 1;
    else high = middle;
  }
  events.splice(low, 0, { at: time, work });
}

const postgres = await startPostgres();
if (!postgres) throw new Error('PostgreSQL is not installed');
const url = await postgres.database('simulated');
await (await openMigrated({ url, size: 1, timeoutMs: 60_000 })).close();
const database = openDatabase({ url, size: 1, timeoutMs: 60_000 });
await database.run(`CREATE FUNCTION skein.set_clock() RETURNS timestamptz LANGUAGE sql STABLE AS
  $$ SELECT to_timestamp(current_setting('simulated.now')::float8) $$`);
await database.run("SELECT set_config('simulated.now', '0', false)");
await database.run(
  RUN_FUNCTIONS.replaceAll('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION').replaceAll(
    'clock_timestamp()',
    'skein.set_clock()',
  ),
);

const kinds = new Map<string, Kind>();
const START = 1_800_000_000;
let now = 0;

/** Calls a SQL function of the service at the simulated time. */
async function call<T>(kind: string, text: string, ...values: (string | number)[]): Promise<T> {
  await database.run("SELECT set_config('simulated.now', $1, false)", String(START + now));
  const began = performance.now();
  const row = await database.get<{ answer: T }>(`SELECT skein.${text} AS answer`, ...values);
  const counted = kinds.get(kind) ?? { calls: 0, ms: [] };
  kinds.set(kind, counted);
  counted.calls++;
  counted.ms.push(performance.now() - began);
  return row?.answer as T;
}

const servers: Server[] = Array.from({ length: MODEL.servers }, (_, n) => ({
  id: `server-${String(n).padStart(4, '0')}`,
  alive: true,
  running: new Set(),
  claiming: false,
}));
const orphanedAt = new Map<string, number>();
const adopted: number[] = [];
let ended = 0;
let accepted = 0;
let empty = 0;

async function renew(server: Server): Promise<void> {
  if (!server.alive) return;
  const held = JSON.stringify([...server.running]);
  const news = await call<{ ready: boolean } | null>(
    'renew',
    "renew_v1($1, $2, '[]'::jsonb, $3::text::jsonb, 10000)",
    ...[server.id, MODEL.leaseSeconds, held],
  );
  if (!news) throw new Error('A running server has lost its lease');
  if (news.ready) at(now + travel(), () => claim(server));
  at(now + MODEL.renewSeconds, () => renew(server));
}

async function claim(server: Server): Promise<void> {
  const free = MODEL.slots - server.running.size;
  if (!server.alive || free === 0) return;
  const claims = await call<{ runId: string; lease: number; thread: { key: number } }[]>(
    'claim',
    'claim_v1($1, $2)',
    ...[free, server.id],
  );
  if (claims.length === 0) empty++;
  for (const { runId, lease, thread } of claims) {
    const since = orphanedAt.get(runId);
    if (since !== undefined) adopted.push(now - since);
    orphanedAt.delete(runId);
    begin(server, { runId, lease, key: thread.key });
  }
}

interface Begun {
  runId: string;
  lease: number;
  key: number;
}

function begin(server: Server, run: Begun): void {
  server.running.add(run.runId);
  at(now + travel() + MODEL.runSeconds, () => end(server, run));
}

async function end(server: Server, { runId, lease, key }: Begun): Promise<void> {
  if (!server.alive) return;
  const document = {
    ...{ runId, lease, thread: String(key).padStart(12, '0'), workflow: 'w', started: true, finishedAt: 0 },
    ...{ messages: [], messageCount: 2, keep: 20, units: [], status: 'succeeded', inputTokens: 1 },
    ...{ outputTokens: 1, agents: '[]', result: '{}', error: null, checkpoint: 'c', headBefore: null },
    ...{ memory: 'null', protocol: false, rollback: false, answers: false, goesOn: false, interrupt: null },
    ...{ turnBefore: null, tidy: 'none', more: false },
  };
  const { outcome } = await call<{ outcome: string }>(
    'end',
    'end_v1($1::text::jsonb, $2)',
    ...[JSON.stringify(document), server.id],
  );
  if (outcome !== 'ended') throw new Error(`The outcome of a run of a running server is '${outcome}'`);
  server.running.delete(runId);
  ended++;
}

async function accept(): Promise<void> {
  at(now - Math.log(1 - chance()) / MODEL.runsPerSecond, accept);
  const living = servers.filter(({ alive }) => alive);
  const server = living[Math.floor(chance() * living.length)];
  if (!server) return;
  const runId = Bun.randomUUIDv7();
  const run = {
    ...{ owner: `owner-${Math.floor(chance() * 50)}`, runId, threadId: runId, messageId: runId, title: 't' },
    ...{
      request: '{}',
      protocol: 0,
      workflow: 'w',
      createdAt: Math.round((START + now) * 1000),
      supersedes: 0,
    },
  };
  const admission = { claim: true, queued: 100_000, strategy: 'enqueue', perThread: 64 };
  const { outcome, thread } = await call<{ outcome: string; thread: { key: number } }>(
    'accept',
    'accept_v1($1::text::jsonb, $2::text::jsonb, $3)',
    ...[JSON.stringify(run), JSON.stringify(admission), server.id],
  );
  if (outcome !== 'accepted') throw new Error(`A run was rejected: ${outcome}`);
  accepted++;
  begin(server, { runId, lease: 1, key: thread.key });
}

function kill(): void {
  for (const server of servers.slice(0, MODEL.killed)) {
    server.alive = false;
    for (const runId of server.running) orphanedAt.set(runId, now);
  }
}

for (const server of servers) {
  await call('join', 'join_v1($1, $2)', server.id, MODEL.leaseSeconds);
  at(chance() * MODEL.renewSeconds, () => renew(server));
}
at(0, accept);
at(MODEL.killedAt, async () => kill());
for (let next = events.pop(); next && next.at <= MODEL.seconds; next = events.pop()) {
  now = next.at;
  await next.work();
}

const line = ([kind, { calls, ms }]: [string, Kind]) =>
  `| ${kind} | ${(calls / MODEL.seconds).toFixed(1)} | ${quantile(ms, 0.5).toFixed(2)} | ${quantile(ms, 0.99).toFixed(2)} |`;
const busy =
  [...kinds.values()].flatMap(({ ms }) => ms).reduce((sum, ms) => sum + ms, 0) / 1000 / MODEL.seconds;
console.log(`seed ${seed}: ${accepted} runs accepted, ${ended} ended, ${adopted.length} of killed servers adopted, ${orphanedAt.size} not;
adoption after ${quantile(adopted, 0.5).toFixed(1)} s (p50), ${Math.max(...adopted).toFixed(1)} s at most; ${empty} claims found nothing;
the functions took ${busy.toFixed(2)} s of one connection per simulated second

| function | calls per simulated second | p50, real ms | p99, real ms |
|---|---|---|---|
${[...kinds]
  .filter(([kind]) => kind !== 'join')
  .map(line)
  .join('\n')}`);
await database.close();
await postgres.stop();
