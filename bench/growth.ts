/** The cost of a turn as its thread grows: time, checkpoint bytes and commits. */
import { Database } from 'bun:sqlite';
import { median, turn } from './load.ts';
import { startProvider, startSkein } from './processes.ts';

const TURNS = 520;
const AROUND = 20;

export async function growth(): Promise<string> {
  const provider = await startProvider();
  const service = await startSkein(provider);
  const url = `${service.url}/api/v1/chat`;
  for (let warm = 0; warm < 1_000; warm++) await turn(url, crypto.randomUUID());
  const times: number[] = [];
  const bytes: number[] = [];
  const db = new Database(service.state, { readonly: true });
  const stored = () => (db.query(STORED).get() as { bytes: number }).bytes;
  for (let index = 0; index < TURNS; index++) {
    times.push(await turn(url, 'growing'));
    bytes.push(stored());
  }
  const before = await commits(service.url);
  for (let index = 0; index < 100; index++) await turn(url, crypto.randomUUID());
  const perTurn = ((await commits(service.url)) - before) / 100;
  db.close();
  for (const { stop } of [service, provider]) await stop();
  const at = (number: number) => median(times.slice(number - AROUND / 2, number + AROUND / 2));
  const kept = (number: number) => ((bytes[number - 1] ?? 0) / 1024).toFixed(1);
  return `## One thread, ${TURNS} turns

| turn | p50 of the ${AROUND} turns around it, ms | checkpoints of the thread on disk, KiB |
|---|---|---|
${[10, 100, 250, 500].map((number) => `| ${number} | ${at(number).toFixed(2)} | ${kept(number)} |`).join('\n')}

Turn 500 costs ${(at(500) / at(10)).toFixed(2)} times turn 10. A turn of a one-agent graph adds ${written(bytes)} KiB of
checkpoints (written, before pruning) and takes ${perTurn.toFixed(2)} commits.
`;
}

const STORED = `SELECT (SELECT sum(length(versions) + length(body) + length(metadata)) FROM checkpoints WHERE thread = t.k)
  + (SELECT sum(length(value) + ifnull(length(elements), 0)) FROM checkpoint_values WHERE thread = t.k)
  + (SELECT ifnull(sum(length(value)), 0) FROM checkpoint_elements WHERE thread = t.k) AS bytes
  FROM (SELECT printf('%012d', key) AS k FROM threads WHERE thread_id = 'growing') AS t`;

/** The median growth per turn in KiB, of the turns in which no checkpoints were deleted. */
function written(bytes: number[]): string {
  const grown = bytes.slice(40).map((value, index) => value - (bytes[index + 39] ?? 0));
  return (median(grown.filter((growth) => growth > 0)) / 1024).toFixed(1);
}

async function commits(url: string): Promise<number> {
  const { components } = (await (await fetch(`${url}/api/v1/health`)).json()) as {
    components: { state: { commits: number } };
  };
  return components.state.commits;
}
