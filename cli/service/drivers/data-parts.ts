/** Opens the data that workflows query: the SQL database, and the knowledge base with its embedder. */
import type { Logger } from 'pino';
import type { ServiceMetrics } from '../../../runtime/service-metrics.ts';
import type { LoadedSettings } from '../../../settings/load.ts';
import type { Sweeps } from '../../../state/cluster/sweeps.ts';
import { measuredKnowledge } from '../../../tools/knowledge/measured.ts';
import type { Fetch } from '../../../tools/models/provider/provider-fetch.ts';
import { tracedSql } from '../../../tools/sql/traced.ts';
import type { Tracing } from '../../../tools/telemetry/tracing.ts';
import { configuredKnowledgeBase, sharedEmbedder } from './knowledge-base.ts';
import { configuredSqlDatabase } from './sql-database.ts';

export interface Watching {
  fetch: Fetch | undefined;
  log: Logger;
  metrics: Pick<ServiceMetrics, 'indexSearched'>;
  tracing: Tracing | undefined;
  /** One server at a time indexes. */
  leases: Sweeps;
}

export function dataParts(loaded: LoadedSettings, { fetch, log, metrics, tracing, leases }: Watching) {
  const database = configuredSqlDatabase(loaded);
  const openEmbedder = sharedEmbedder(loaded, fetch);
  const knowledge = configuredKnowledgeBase(loaded, { log, openEmbedder, leases });
  return {
    openEmbedder,
    sql: tracing ? tracedSql(database, tracing) : database,
    knowledge: measuredKnowledge(knowledge, { searched: metrics.indexSearched, tracing }),
  };
}
