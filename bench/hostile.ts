/** The time of health checks while a model writes hostile and expensive SQL statements on several threads. */

import { scriptedProvider } from '../tests/support/provider.ts';
import { BOUNDED, REFUSED } from '../tests/tools/sql/hostile-statements.ts';
import { health } from './health.ts';
import { quantile, turn } from './load.ts';
import { startSkein } from './processes.ts';

const THREADS = 4;
const SECONDS = 10;

export async function hostile(): Promise<string> {
  const statements = [...Object.values(REFUSED).flat(), ...BOUNDED];
  let asked = 0;
  const provider = scriptedProvider(() => ({
    sql: statements[asked++ % statements.length],
    explanation: 'As requested.',
    tables: [],
  }));
  const service = await startSkein(
    { url: provider.url.replace(/\/v1$/, '') },
    { SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' },
  );
  const end = performance.now() + SECONDS * 1000;
  const ask = () => turn(`${service.url}/api/v1/chat`, crypto.randomUUID(), 'sql-manipulation-agent');
  const asking = Array.from({ length: THREADS }, async () => {
    // Each statement is rejected three times, and then the turn fails, as expected.
    while (performance.now() < end) await ask().catch(() => undefined);
  });
  const times = await health(service.url, end);
  await Promise.all(asking);
  await service.stop();
  await provider.close();
  return `## Hostile SQL

${asked} hostile statements and bombs (${statements.length} kinds) on ${THREADS} threads in ${SECONDS} s. Health checks during the load: p50 ${quantile(times, 0.5).toFixed(1)} ms,
p99 ${quantile(times, 0.99).toFixed(1)} ms.
`;
}
