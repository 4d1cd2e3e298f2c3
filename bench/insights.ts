/** The wall-clock time of a whole bike-insights analysis of the largest accepted document, with the offline model. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { largeDocument } from '../tests/cli/template/bike-insights/documents.ts';
import { templateProject } from '../tests/support/template.ts';
import { median, quantile, turn } from './load.ts';
import { startSkein } from './processes.ts';

const MAX_CHARACTERS = 1_048_576;
const DOCUMENTS = 30;
// People don't send the next document immediately.
const PAUSE_MS = 300;

export async function insights(): Promise<string> {
  const folder = templateProject();
  copyFileSync(join(import.meta.dir, 'config.yml'), join(folder, 'config.yml'));
  const service = await startSkein(undefined, {}, { config: join(folder, 'config.yml') });
  const { text, sales } = fullDocument();
  const took: number[] = [];
  for (let count = 0; count <= DOCUMENTS; count++) {
    await Bun.sleep(PAUSE_MS);
    took.push(await turn(`${service.url}/api/v1/chat`, crypto.randomUUID(), 'bike-insights', text));
  }
  await service.stop();
  rmSync(folder, { recursive: true });
  const [first = Number.NaN, ...next] = took;
  return `## bike-insights, the largest document, offline model

A document of ${text.length} characters with ${sales} sales takes ${median(next).toFixed(0)} ms (p50 of ${DOCUMENTS}; p95 ${quantile(next, 0.95).toFixed(0)} ms), including all four agents, the model and the SQL
process. The first document after the start takes ${first.toFixed(0)} ms, because it loads DuckDB and LanceDB.
`;
}

/** The large document with as many sales as fit into the limit. */
function fullDocument(): { text: string; sales: number } {
  const document = largeDocument();
  const [store] = document.stores;
  const sales = document.stores.flatMap(({ bike_sales }) => bike_sales);
  let text = JSON.stringify(document);
  for (let index = 0; store; index++) {
    const sale = sales[index % sales.length];
    if (sale) store.bike_sales.push(sale);
    const longer = JSON.stringify(document);
    if (longer.length > MAX_CHARACTERS) return { text, sales: sales.length + index };
    text = longer;
  }
  throw new Error('The document has no stores');
}
