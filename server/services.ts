/** The dependencies of the HTTP layer. `cli/service/open-service.ts` opens and closes them. */
import type { Logger } from 'pino';
import type { TypedSchemas } from '../graphs/adoption/schemas/typed-schemas.ts';
import type { DataSources } from '../graphs/authoring/run/data-sources.ts';
import type { PromptEditor } from '../prompts/editor.ts';
import type { PromptStore } from '../prompts/store.ts';
import type { Assistants } from '../runtime/assistants/assistants.ts';
import type { EraseCaller } from '../runtime/callers/erasure.ts';
import type { Continue } from '../runtime/continuation.ts';
import type { AskCall } from '../runtime/datasets/ask-call.ts';
import type { DatasetRuns } from '../runtime/datasets/dataset-runs.ts';
import type { Datasets } from '../runtime/datasets/datasets.ts';
import type { Results } from '../runtime/datasets/results.ts';
import type { RunFork } from '../runtime/fork-run.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { LimitsOptions } from '../runtime/options.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { SearchRuns } from '../runtime/search/run-search.ts';
import type { Fork } from '../runtime/threads/fork.ts';
import type { StateUpdates } from '../runtime/threads/state-updates.ts';
import type { ThreadStates } from '../runtime/threads/thread-states.ts';
import type { Registry } from '../runtime/workflows/registry.ts';
import type { DocumentAuthors } from '../state/callers/document-authors.ts';
import type { MinuteCounters } from '../state/callers/minute-counters.ts';
import type { ClusterOptions } from '../state/cluster/cluster-options.ts';
import type { CronStore } from '../state/resources/crons.ts';
import type { State } from '../state/state.ts';
import type { Archive } from '../state/threads/archive.ts';
import type { ThreadTtl } from '../state/threads/threads.ts';
import type { UsageStore } from '../state/usage/usage-store.ts';
import type { KnowledgeBase } from '../tools/knowledge/open.ts';
import type { McpServers } from '../tools/mcp/servers.ts';
import type { Models } from '../tools/models/models.ts';
import type { SqlDatabase } from '../tools/sql/open.ts';
import type { Tracing } from '../tools/telemetry/tracing.ts';
import type { Authenticator } from './authentication/authenticator.ts';
import type { Operators } from './authentication/operators.ts';
import type { ComponentBundles } from './components/bundles.ts';
import type { HttpApp } from './http-app/mount.ts';
import type { WebOptions } from './options.ts';
import type { StudioFiles } from './studio/files.ts';
import type { WebhookOptions } from './webhooks/options.ts';

export interface Services {
  runtime: Runtime;
  registry: Registry;
  models: Models;
  state: State;
  archive: Archive;
  assistants: Assistants;
  crons: CronStore;
  eraseCaller: EraseCaller;
  fork: Fork;
  runFork: RunFork;
  /** Continues from the end of a run: on its thread, or on a fork if the thread has moved on. */
  continueRun: Continue;
  states: ThreadStates;
  updates: StateUpdates;
  authenticator: Authenticator;
  operators: Operators;
  /** Counts chat requests per caller. */
  counters: MinuteCounters;
  knowledge: KnowledgeBase;
  documentAuthors: DocumentAuthors;
  usage: UsageStore;
  search: Pick<SearchRuns, 'find'>;
  promptFiles: PromptStore;
  promptEditor: PromptEditor;
  datasets: Datasets;
  datasetResults: Results;
  datasetRuns: Pick<DatasetRuns, 'start'>;
  askCall: AskCall;
  sql: Pick<SqlDatabase, 'open' | 'description'>;
  /** The SQL database and the knowledge base, as tools use them. */
  sources: DataSources;
  mcpServers: Pick<McpServers, 'states'>;
  limits: LimitsOptions;
  /** The default TTL of threads that LangGraph's protocol creates. */
  threadTtl?: ThreadTtl | undefined;
  web: WebOptions;
  /** The workflow whose agent card is served at the root. */
  defaultAgent?: string | undefined;
  webhooks: WebhookOptions;
  metrics: Metrics;
  /** Bytes on disk by part of the service. */
  diskUse(): Promise<Record<string, number>>;
  /** Logs a line per request. Undefined if the access log is off. */
  accessLog?: Logger | undefined;
  tracing?: Tracing | undefined;
  studio: StudioFiles;
  components: ComponentBundles;
  typedSchemas: TypedSchemas;
  /** The project's own HTTP app. Its routes and middleware come before the API. */
  httpApp?: HttpApp | undefined;
  log: Logger;
  version: string;
  /** Start of the service, in milliseconds since 1970. */
  startedAt: number;
  /** Whether a test suite may delete all data. */
  isTestBuild: boolean;
  /** Returns a warning if the volume of the state is nearly full. */
  volumeWarnings(): Promise<string[]>;
  /** False during startup and draining. */
  ready(): boolean;
  /** The address of the service for examples in the documentation, such as `http://localhost:8080`. */
  baseUrl(): string;
  diagnosis: Diagnosis;
}

interface Diagnosis {
  directories: { prompts: string; state: string; knowledge_base: string; sql_database: string };
  role: ClusterOptions['role'];
  /** All settings, with secrets redacted. */
  settings: unknown;
  warnings: string[];
}
