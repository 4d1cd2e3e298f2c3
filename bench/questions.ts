/** Concurrent questions to the sample database, and the time of health checks during them. */
import { health } from './health.ts';
import { quantile, turn } from './load.ts';
import { startSkein } from './processes.ts';

const QUESTIONS = 16;
const SECONDS = 5;

export async function questions(): Promise<string> {
  const service = await startSkein(undefined, { SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' });
  const chat = `${service.url}/api/v1/chat`;
  const ask = () =>
    turn(
      chat,
      crypto.randomUUID(),
      'sql-manipulation-agent',
      'Which five stores sold the most bikes in 2024?',
    );
  await Promise.all([ask(), ask()]);
  const idle = await health(service.url, performance.now() + 1_000);
  const end = performance.now() + SECONDS * 1000;
  const took: number[] = [];
  const asking = Array.from({ length: QUESTIONS }, async () => {
    while (performance.now() < end) took.push(await ask());
  });
  const busy = await health(service.url, end);
  await Promise.all(asking);
  await service.stop();
  return `## ${QUESTIONS} concurrent questions to the sample database, offline model

${(took.length / SECONDS).toFixed(0)} questions per second, each ${quantile(took, 0.5).toFixed(0)} ms (p50). Health checks during the load: p50 ${quantile(busy, 0.5).toFixed(1)} ms,
p99 ${quantile(busy, 0.99).toFixed(1)} ms; before, p99 ${quantile(idle, 0.99).toFixed(1)} ms.
`;
}
