/** The one place that opens every driver, passes it its settings, and closes all of them in reverse order. */
import type { Logger } from 'pino';
import { openTypedSchemas } from '../../graphs/adoption/schemas/typed-schemas.ts';
import { registerSdkLogger } from '../../graphs/adoption/sdk-logger.ts';
import packageJson from '../../package.json';
import { promptEditor } from '../../prompts/editor.ts';
import { openPromptStorage } from '../../prompts/open.ts';
import { createPrompts } from '../../prompts/prompts.ts';
import { createRenderer } from '../../prompts/templates/renderer.ts';
import { budgetsFor } from '../../runtime/budgets/known-workflows.ts';
import { createMetrics } from '../../runtime/metrics.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { runSearching } from '../../runtime/search/run-search.ts';
import { dataSources } from '../../runtime/workflows/data-sources.ts';
import { discoverWorkflows } from '../../runtime/workflows/discovery.ts';
import { registerWorkflows } from '../../runtime/workflows/registry.ts';
import { createOpenSandbox } from '../../runtime/workflows/sandbox.ts';
import { checkDefaultAgent } from '../../server/a2a/agent.ts';
import { type App, createApp } from '../../server/app.ts';
import { createAuthenticator } from '../../server/authentication/authenticator.ts';
import { createOperators } from '../../server/authentication/operators.ts';
import { componentBundles } from '../../server/components/bundles.ts';
import { openInProcess } from '../../server/http-app/in-process.ts';
import { loadHttpApp } from '../../server/http-app/load.ts';
import { createStudioFiles } from '../../server/studio/files.ts';
import { workerApp } from '../../server/worker-app.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { redacted } from '../../settings/redact.ts';
import type { ClusterOptions } from '../../state/cluster/cluster-options.ts';
import { timedWrites } from '../../state/timed-writes.ts';
import { openMcpServers } from '../../tools/mcp/servers.ts';
import { openModels } from '../../tools/models/models.ts';
import type { Fetch } from '../../tools/models/provider/provider-fetch.ts';
import { assertPackages } from './checks/optional-packages.ts';
import { checkProviders } from './checks/provider-check.ts';
import { startWarnings } from './checks/start-warnings.ts';
import { volumeWatch } from './checks/state-volume.ts';
import { assertTemporaryFolder } from './checks/temporary-folder.ts';
import { dataParts } from './drivers/data-parts.ts';
import { openLangGraphFile } from './drivers/langgraph-file.ts';
import { openLog } from './drivers/log.ts';
import { openState, stateLabel } from './drivers/open-state.ts';
import { configuredTracing } from './drivers/open-tracing.ts';
import { configuredStoreIndex, listedStoreIndex } from './drivers/store-index.ts';
import { threadTtlOf } from './drivers/thread-ttl.ts';
import { type Lifecycle, lifecycle, type Phase } from './lifecycle.ts';
import { operations } from './operations.ts';
import { diskUse } from './work/disk-use.ts';
import { langgraphWork } from './work/langgraph-work.ts';
import { retentionNote } from './work/retention-note.ts';
import { openSweeps } from './work/sweeps.ts';

export interface Service extends Lifecycle {
  app: App;
  log: Logger;
  warnings: string[];
  /** How many threads retention will delete, if any. */
  retention: string | undefined;
  role: ClusterOptions['role'];
  /** True when the built-in offline model answers. */
  offline: boolean;
  /** Checks each provider and its key once; adds problems to `warnings`. */
  checkProviders(): Promise<void>;
}

export const VERSION = packageJson.version;

/** Throws CONFIGURATION_ERROR with the setting's path. `fetch` replaces the network to the model provider in tests. */
export async function openService(loaded: LoadedSettings, fetch?: Fetch): Promise<Service> {
  const { settings } = loaded;
  // Must come before workflow modules are loaded: they may read these variables.
  Object.assign(process.env, loaded.libraryVariables);
  assertTemporaryFolder();
  await assertPackages(settings);
  const { log_level: level, log_format: format } = settings.telemetry;
  const log = openLog(level, format);
  registerSdkLogger(log);
  const tracing = await configuredTracing(settings, { log, version: VERSION });
  const models = openModels(settings.models, fetch, tracing);
  const json = await openLangGraphFile(loaded);
  let app: App | undefined;
  const inProcess = openInProcess(async (request) => {
    if (!app) throw new Error('the service was called before it started');
    return app.handle(request);
  });
  const { found, core, replaced, shipped, ignored } = await discoverWorkflows(
    loaded.projectFolder,
    loaded.settings.workflows,
    json,
  );
  const httpApp = await loadHttpApp(json);
  const renderer = createRenderer();
  const { chat_history, cluster, memory, telemetry, webhooks, web_configuration: web } = settings;
  const { role } = cluster;
  const executes = role !== 'front';
  const limits = executes ? settings.limits : { ...settings.limits, concurrent_runs: 0 };
  const store = { ...settings.store, ttl: { ...settings.store.ttl, ...json?.store?.ttl } };
  const threadTtl = threadTtlOf(json);
  const metrics = createMetrics();
  const state = timedWrites(
    await openState(settings, {
      migrated: (versions) => {
        // A new file had no tables.
        if (versions.from > 0) log.info(versions, "the state's tables were migrated");
      },
    }),
    metrics.stateWritten,
  );
  const { sql, knowledge, openEmbedder } = dataParts(loaded, {
    fetch,
    log,
    metrics,
    tracing,
    leases: state.leases,
  });
  const mcpServers = openMcpServers({
    ...{ options: settings.mcp_servers, folder: loaded.projectFolder },
    ...{ version: VERSION, log },
  });
  try {
    const { archive } = state;
    const prompted = await openPromptStorage(settings.prompts, shipped, state.promptFiles);
    const { store: promptFiles, source, label } = prompted;
    const prompts = createPrompts(source, renderer);
    const registered = { core, replaced, settings: settings.workflows };
    const registry = await registerWorkflows(found, { ...registered, models, prompts, sql, knowledge });
    const sources = dataSources({ ...registered, sql, knowledge, mcp: mcpServers });
    checkDefaultAgent(registry, settings.a2a);
    const runtime = createRuntime({
      state,
      archive,
      registry,
      models,
      prompts,
      sources,
      openSandbox: createOpenSandbox({ ...registered, found, models, source, renderer, sql, knowledge }),
      limits,
      budgets: budgetsFor(settings.budgets, registry),
      memory,
      store,
      storeIndex: (await listedStoreIndex(json)) ?? configuredStoreIndex(loaded, { openEmbedder, fetch }),
      threadTtl,
      metrics,
      tracing,
      log,
    });
    const editor = promptEditor(promptFiles, shipped, renderer);
    const startedAt = Date.now();
    const configs = json?.graphConfigs ?? {};
    const offered = operations({
      ...{ state, runtime, registry, knowledge, promptFiles, promptEditor: editor, configs, startedAt, log },
      datasetsPath: settings.datasets.path,
    });
    const search = runSearching({ search: state.search, sweeps: state.sweeps, isShared: state.shared, log });
    const sweeping = openSweeps({
      search,
      removal: archive.removal,
      expireThread: runtime.expireThread,
      sweeps: state.sweeps,
      retentionDays: chat_history.retention_days,
      retentionHour: state.retentionHour,
      maxSharePerHour: chat_history.retention_max_share_per_hour,
      eventRetentionHours: chat_history.event_retention_hours,
      threadMinutes: json?.checkpointer?.ttl?.sweep_interval_minutes,
      storeMinutes: store.ttl.sweep_interval_minutes,
      log,
    });
    const warnings = await startWarnings(loaded, {
      ...{ registry, promptFiles, ignored, configs, log },
    });
    const retention = await retentionNote(archive.removal, chat_history);
    const isFile = chat_history.database_type === 'sqlite';
    const volume = volumeWatch(isFile ? chat_history.database_path : undefined, log);
    const phase: Phase = { isReady: false, isLeaving: false, baseUrl: '' };
    const diagnosis = {
      directories: {
        prompts: label,
        state: stateLabel(settings),
        knowledge_base: settings.knowledge_base.documents_path,
        sql_database: settings.local_sql_db.database_path,
      },
      role,
      settings: redacted(settings),
      warnings,
    };
    const typedSchemas = openTypedSchemas(log);
    const authenticator = createAuthenticator({
      options: web.authentication,
      spent: state.spentTokens,
      counters: state.counters,
      log,
    });
    const serviceParts = {
      ...offered,
      ...{ runtime, registry, models, state, archive, sql, sources, mcpServers },
      operators: createOperators(web.authentication.enable ? web.authentication.operators : [], log),
      ...{
        authenticator,
        threadTtl,
        limits,
        web,
        webhooks,
        defaultAgent: settings.a2a.default,
        metrics,
        log,
        diagnosis,
        typedSchemas,
      },
      ...{ promptFiles, promptEditor: editor },
      usage: state.usage,
      search,
      ...{ knowledge, documentAuthors: state.documentAuthors, crons: state.crons, counters: state.counters },
      studio: createStudioFiles(web.base_path),
      ...{ httpApp, startedAt, version: VERSION, tracing, diskUse: diskUse(settings, archive) },
      accessLog: telemetry.access_log ? log : undefined,
      components: componentBundles(json?.ui),
      isTestBuild: process.env.NODE_ENV === 'test',
      volumeWarnings: volume.warnings,
      ready: () => phase.isReady && !phase.isLeaving,
      baseUrl: () => phase.baseUrl,
    };
    const serving = createApp(serviceParts);
    const work = langgraphWork(serviceParts, inProcess);
    app = serving;
    return {
      app: role === 'worker' ? workerApp(serving, log) : serving,
      role,
      log,
      warnings,
      retention,
      offline: models.offline,
      ...lifecycle({
        ...{ loaded, phase, inProcess, runtime, authenticator, knowledge, volume, retention, sweeping, work },
        datasetRuns: offered.datasetRuns,
        ...{ log, sql, mcpServers, state, tracing, typedSchemas, serving, executes },
      }),
      async checkProviders() {
        if (executes) await checkProviders(loaded, { models, log, warnings });
      },
    };
  } catch (error) {
    inProcess.close();
    await state.close();
    await tracing?.close(0);
    throw error;
  }
}
