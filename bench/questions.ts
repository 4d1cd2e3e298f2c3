/** Questions to the sample database at the same time, and what health takes meanwhile. */
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
  const calm = await health(service.url, performance.now() + 1_000);
  const end = performance.now() + SECONDS * 1000;
  const took: number[] = [];
  const asking = Array.from({ length: QUESTIONS }, async () => {
    while (performance.now() < end) took.push(await ask());
  });
  const busy = await health(service.url, end);
  await Promise.all(asking);
  await service.stop();
  return `## ${QUESTIONS} questions to the sample database at the same time, offline model

${(took.length / SECONDS).toFixed(0)} questions a second, each ${quantile(took, 0.5).toFixed(0)} ms (p50). Health meanwhile: p50 ${quantile(busy, 0.5).toFixed(1)} ms,
p99 ${quantile(busy, 0.99).toFixed(1)} ms; before, p99 ${quantile(calm, 0.99).toFixed(1)} ms.
`;
}
