/** PostgreSQL: turns compared with the bare handler and LangGraph's PostgresSaver, several servers, and token lag. */
import { load, median, quantile } from './load.ts';
import { type PrivatePostgres, startPostgres } from './private-postgres.ts';
import { onPostgres, type Running, startBare, startProvider, startSkein } from './processes.ts';
import { startTimestampProvider } from './timestamp-provider.ts';

const CONNECTIONS = [1, 16, 64];
const ROUNDS = 5;
const SECONDS = 2;
const DELAY_MS = 200;
/** Per server. Low enough that turns wait for the provider and not for the processor, even on a machine with few cores. */
const SLOTS = 24;
const STREAMS = 60;

export async function postgres(): Promise<string> {
  const database = await startPostgres();
  if (!database) return '';
  try {
    const turns = await turnsPerSecond(database);
    const cost = await costOfTurn(database);
    const servers = await twoServers(database);
    const lag = await tokenLag(database);
    return `## PostgreSQL

A separate server with \`fsync\` and \`synchronous_commit\` on, on the same machine and the same cores. "PostgresSaver" is the
bare handler with LangGraph's PostgreSQL saver on that server (\`@langchain/langgraph-checkpoint-postgres\`, its pool of 10 connections; Skein
has 10 too). Each turn is on a new thread. Medians of ${ROUNDS} alternating rounds of ${SECONDS} s each; ratios as above.

| connections | Skein on PostgreSQL | same graph, bare | ratio | PostgresSaver | ratio |
|---|---|---|---|---|---|
${turns.join('\n')}

A turn of a one-agent graph takes ${cost.statements} statements (round trips; ${cost.busy} with 16 connections) and
${cost.syncs} syncs of the write-ahead log (${cost.busySyncs} with 16 connections), and writes ${cost.kilobytes} KiB of it. PostgreSQL executes them in ${cost.milliseconds} ms:

${cost.parts.map((part) => `- ${part}`).join('\n')}

Two servers with ${SLOTS} slots each, a provider that takes ${DELAY_MS} ms, and ${SLOTS * 2} connections: ${servers.two.toFixed(0)} turns per second; one server alone
${servers.one.toFixed(0)}: **${(servers.two / servers.one).toFixed(2)}** times as many. With all connections to one of the two: ${servers.lopsided.toFixed(0)}.

If a worker executes the turn and the client is connected to a front, a token arrives ${lag.p50.toFixed(1)} ms (p50; p95 ${lag.p95.toFixed(1)} ms, p99 ${lag.p99.toFixed(1)} ms) after the
provider has sent it: ${lag.tokens} tokens of ${STREAMS} streams, 30 ms apart. The goal is p95 within 100 ms. On a single server it is ${lag.alone.toFixed(1)} ms (p50).
`;
  } finally {
    await database.stop();
  }
}

export async function turnsPerSecond(database: PrivatePostgres): Promise<string[]> {
  const provider = await startProvider();
  const running = await Promise.all([
    startSkein(provider, onPostgres(await database.database('turns'))),
    startBare('same', provider),
    startBare('same', provider, await database.database('saver')),
  ]);
  const urls = running.map(({ url }, index) => (index === 0 ? `${url}/api/v1/chat` : `${url}/chat`));
  for (const url of urls) await load(url, 16, 2);
  const rows: string[] = [];
  for (const connections of CONNECTIONS) {
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const rates: number[] = [];
      for (const url of urls) rates.push((await load(url, connections, SECONDS)).turnsPerSecond);
      rounds.push(rates);
    }
    rows.push(row(connections, rounds));
  }
  await stopped([...running, provider]);
  return rows;
}

function row(connections: number, rounds: number[][]): string {
  const rate = (index: number) => median(rounds.map((rates) => rates[index] ?? Number.NaN)).toFixed(0);
  const ratio = (index: number) => {
    const ratios = rounds.map((rates) => (rates[0] ?? Number.NaN) / (rates[index] ?? Number.NaN));
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    return `**${median(ratios).toFixed(2)}** (${least.toFixed(2)} to ${most.toFixed(2)})`;
  };
  return `| ${connections} | ${rate(0)} | ${rate(1)} | ${ratio(1)} | ${rate(2)} | ${ratio(2)} |`;
}

const COUNTERS = `SELECT (SELECT wal_sync FROM pg_stat_wal)::float8 AS syncs, (SELECT wal_bytes FROM pg_stat_wal)::float8 AS bytes`;

/** PostgreSQL's statistics per turn, with 1 and with 16 connections. */
export async function costOfTurn(database: PrivatePostgres) {
  const provider = await startProvider();
  const skein = await startSkein(provider, onPostgres(await database.database('counted')));
  const url = `${skein.url}/api/v1/chat`;
  await load(url, 16, 2);
  const [one, sixteen] = [await counted(database, url, 1), await counted(database, url, 16)];
  await stopped([skein, provider]);
  return {
    statements: one.statements.toFixed(2),
    busy: sixteen.statements.toFixed(2),
    syncs: one.syncs.toFixed(2),
    busySyncs: sixteen.syncs.toFixed(2),
    kilobytes: one.kilobytes.toFixed(1),
    milliseconds: one.milliseconds.toFixed(2),
    parts: one.parts,
  };
}

interface Counted {
  name: string;
  calls: number;
  ms: number;
}

async function counted(database: PrivatePostgres, url: string, connections: number) {
  // PostgreSQL updates its statistics with a delay.
  const settled = () => Bun.sleep(1_500);
  await settled();
  await database.ask('SELECT pg_stat_statements_reset()');
  const [before] = await database.ask<{ syncs: number; bytes: number }>(COUNTERS);
  const began = performance.now();
  const { turnsPerSecond } = await load(url, connections, 4);
  const turns = turnsPerSecond * ((performance.now() - began) / 1000);
  await settled();
  const [after] = await database.ask<{ syncs: number; bytes: number }>(COUNTERS);
  const statements = await database.ask<Counted>(`
    SELECT coalesce(substring(query FROM 'skein\\.\\w+'), left(query, 60)) AS name, sum(calls)::float8 AS calls,
      sum(total_exec_time)::float8 AS ms
    FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = 'counted')
    GROUP BY 1 ORDER BY ms DESC`);
  const total = (pick: (one: Counted) => number) =>
    statements.reduce((sum, one) => sum + pick(one), 0) / turns;
  return {
    statements: total(({ calls }) => calls),
    milliseconds: total(({ ms }) => ms),
    syncs: ((after?.syncs ?? 0) - (before?.syncs ?? 0)) / turns,
    kilobytes: ((after?.bytes ?? 0) - (before?.bytes ?? 0)) / turns / 1024,
    parts: statements
      .filter(({ calls }) => calls / turns >= 0.02)
      .map(
        ({ name, calls, ms }) =>
          `\`${name}\`: ${(calls / turns).toFixed(2)} per turn, ${(ms / calls).toFixed(2)} ms each`,
      ),
  };
}

export async function twoServers(database: PrivatePostgres) {
  const provider = await startProvider(DELAY_MS);
  const env = {
    ...onPostgres(await database.database('servers')),
    SERVICE_LIMITS__CONCURRENT_RUNS: String(SLOTS),
  };
  const running = await Promise.all([startSkein(provider, env), startSkein(provider, env)]);
  const [first = '', second = ''] = running.map(({ url }) => `${url}/api/v1/chat`);
  const rate = async (urls: string[]) => {
    const loads = await Promise.all(urls.map((url) => load(url, (SLOTS * 2) / urls.length, SECONDS * 2)));
    return loads.reduce((sum, { turnsPerSecond }) => sum + turnsPerSecond, 0);
  };
  await rate([first, second]);
  const [two, lopsided]: number[][] = [[], []];
  for (let round = 0; round < 3; round++) {
    two?.push(await rate([first, second]));
    lopsided?.push(await rate([first]));
  }
  await running[1].stop();
  // Wait until its lease has expired.
  await Bun.sleep(12_000);
  const one: number[] = [];
  for (let round = 0; round < 3; round++) one.push(await rate([first]));
  await stopped([running[0], provider]);
  return { two: median(two ?? []), lopsided: median(lopsided ?? []), one: median(one) };
}

/** Measures the lag of each token by the timestamp that the provider writes into it. */
export async function tokenLag(database: PrivatePostgres) {
  const provider = startTimestampProvider();
  const url = onPostgres(await database.database('tokens'));
  const [front, worker, alone] = await Promise.all([
    startSkein(provider, { ...url, SERVICE_CLUSTER__ROLE: 'front' }),
    startSkein(provider, { ...url, SERVICE_CLUSTER__ROLE: 'worker' }),
    startSkein(provider, onPostgres(await database.database('alone'))),
  ]);
  await lags(front.url, 10);
  const over = await lags(front.url, STREAMS);
  const within = await lags(alone.url, STREAMS);
  await stopped([front, worker, alone]);
  await provider.stop();
  return {
    p50: quantile(over, 0.5),
    p95: quantile(over, 0.95),
    p99: quantile(over, 0.99),
    alone: quantile(within, 0.5),
    tokens: over.length,
  };
}

async function lags(url: string, streams: number): Promise<number[]> {
  const all: number[] = [];
  const inTurn = Array.from({ length: 6 }, async () => {
    for (let stream = 0; stream < streams / 6; stream++) all.push(...(await lagsOfStream(url)));
  });
  await Promise.all(inTurn);
  return all;
}

async function lagsOfStream(url: string): Promise<number[]> {
  const response = await fetch(`${url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      user_prompt: 'What is two and two?',
      conversation_flow: 'one-agent',
      thread_id: crypto.randomUUID(),
      stream: true,
    }),
  });
  const decoder = new TextDecoder();
  const lags: number[] = [];
  let rest = '';
  for await (const piece of response.body ?? []) {
    const now = performance.timeOrigin + performance.now();
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.includes('"text":"at '))
        for (const [, sent] of line.matchAll(/at (\d+\.\d+) /g)) lags.push(now - Number(sent));
    }
  }
  if (lags.length === 0) throw new Error('A stream had no tokens');
  return lags;
}

async function stopped(running: Pick<Running, 'stop'>[]): Promise<void> {
  for (const { stop } of running) await stop();
}
