/** The one place that opens every driver, hands it its part of the settings, and closes them in reverse. */
import type { Logger } from 'pino';
import { openTypedSchemas } from '../../graphs/adoption/schemas/typed-schemas.ts';
import { registerSdkLogger } from '../../graphs/adoption/sdk-logger.ts';
import packageJson from '../../package.json';
import { promptEditor } from '../../prompts/editor.ts';
import { openPromptStorage } from '../../prompts/open.ts';
import { createPrompts } from '../../prompts/prompts.ts';
import { createRenderer } from '../../prompts/templates/renderer.ts';
import { assistantThreads } from '../../runtime/assistants/assistant-threads.ts';
import { createAssistants } from '../../runtime/assistants/assistants.ts';
import { configNotes } from '../../runtime/assistants/system-assistants.ts';
import { createMetrics } from '../../runtime/metrics.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { forking } from '../../runtime/threads/fork.ts';
import { stateUpdates } from '../../runtime/threads/state-updates.ts';
import { threadGraphs } from '../../runtime/threads/thread-graph.ts';
import { threadStates } from '../../runtime/threads/thread-states.ts';
import { dataSources } from '../../runtime/workflows/data-sources.ts';
import { discoverWorkflows } from '../../runtime/workflows/discovery.ts';
import { registerWorkflows } from '../../runtime/workflows/registry.ts';
import { rehearsals } from '../../runtime/workflows/sandbox.ts';
import { type App, createApp } from '../../server/app.ts';
import { createAuthenticator } from '../../server/authentication/authenticator.ts';
import { componentBundles } from '../../server/components/bundles.ts';
import { openInProcess } from '../../server/http-app/in-process.ts';
import { loadHttpApp } from '../../server/http-app/load.ts';
import { createStudioFiles } from '../../server/studio/files.ts';
import { workerFace } from '../../server/worker-face.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { redacted } from '../../settings/redact.ts';
import type { ClusterOptions } from '../../state/cluster-options.ts';
import { openModels } from '../../tools/models/models.ts';
import type { Fetch } from '../../tools/models/provider-fetch.ts';
import { openSqlDatabase } from '../../tools/sql/open.ts';
import { configuredKnowledgeBase, sharedEmbedder } from './knowledge-base.ts';
import { openLangGraphFile } from './langgraph-file.ts';
import { langgraphWork } from './langgraph-work.ts';
import { openLog } from './log.ts';
import { openState, statePlace } from './open-state.ts';
import { assertPackages } from './optional-packages.ts';
import { pendingCallbacks } from './pending-callbacks.ts';
import { secondCopies } from './second-copies.ts';
import { configuredStoreIndex, listedStoreIndex } from './store-index.ts';
import { openSweeps } from './sweeps.ts';
import { assertTemporaryFolder } from './temporary-folder.ts';
import { threadTtlOf } from './thread-ttl.ts';
import { configurationWarnings, revisionWarnings } from './warnings.ts';

export interface Service {
  app: App;
  log: Logger;
  warnings: string[];
  role: ClusterOptions['role'];
  /** True when the built-in offline model answers. */
  offline: boolean;
  /** Goes on with what an earlier process left, then takes requests; gives how many runs go on. */
  start(baseUrl: string, options?: StartOptions): Promise<number>;
  /** Refuses new work, lets running turns end for `drainSeconds`, closes everything. */
  close(drainSeconds: number): Promise<void>;
}

export interface StartOptions {
  /** Others are there for what nobody asks this one for: crons, webhooks, sweeps and the index of the documents. */
  onlyRequests?: boolean;
}

export const VERSION = packageJson.version;

// For the other, short calls, if turns have used up the whole drain time.
const LAST_ANSWERS_MS = 1_000;
const LAST_CALLBACKS_MS = 2_000;

/** Throws CONFIGURATION_ERROR with the field's path. `fetch` replaces the network to the model provider in tests. */
export async function openService(loaded: LoadedSettings, fetch?: Fetch): Promise<Service> {
  const { settings } = loaded;
  // Must come before workflow modules are loaded: they may read these variables.
  Object.assign(process.env, loaded.libraryVariables);
  assertTemporaryFolder();
  await assertPackages(settings);
  const { log_level: level, log_format: format } = settings.telemetry;
  const log = openLog(level, format);
  registerSdkLogger(log);
  const models = openModels(settings.models, fetch);
  const json = await openLangGraphFile(loaded);
  let app: App | undefined;
  const inProcess = openInProcess(async (request) => {
    if (!app) throw new Error('the service is called before it has started');
    return app.handle(request);
  });
  const { found, core, replaced, shipped, ignored } = await discoverWorkflows(
    loaded.projectFolder,
    loaded.settings.workflows,
    json,
  );
  const httpApp = await loadHttpApp(json);
  const renderer = createRenderer();
  const { chat_history, cluster, memory, webhooks, web_configuration: web } = settings;
  const { role } = cluster;
  const executes = role !== 'front';
  const limits = executes ? settings.limits : { ...settings.limits, concurrent_runs: 0 };
  const store = { ...settings.store, ttl: { ...settings.store.ttl, ...json?.store?.ttl } };
  const threadTtl = threadTtlOf(json);
  const state = await openState(settings);
  const sql = openSqlDatabase({
    path: settings.local_sql_db.database_path,
    seeds: seedsSampleDatabase(loaded),
    cloud: settings.cloud_sql,
  });
  const openEmbedder = sharedEmbedder(loaded, fetch);
  const knowledge = configuredKnowledgeBase(loaded, { log, openEmbedder });
  try {
    const { archive, checkpointer, runs } = state;
    const prompted = await openPromptStorage(settings.prompts, shipped, state.promptFiles);
    const { store: promptFiles, source, place } = prompted;
    const prompts = createPrompts(source, renderer);
    const registered = { core, replaced, settings: settings.workflows };
    const registry = await registerWorkflows(found, {
      ...registered,
      models,
      prompts,
      sql,
      knowledge,
    });
    const metrics = createMetrics();
    const runtime = createRuntime({
      state,
      archive,
      registry,
      models,
      prompts,
      sources: dataSources({ ...registered, sql, knowledge }),
      rehearse: rehearsals({ ...registered, found, models, source, renderer, sql, knowledge }),
      limits,
      memory,
      store,
      storeIndex: (await listedStoreIndex(json)) ?? configuredStoreIndex(loaded, { openEmbedder, fetch }),
      threadTtl,
      metrics,
      log,
    });
    const fork = forking({ archive, runs, checkpointer, registry });
    const graphOf = threadGraphs({ checkpointer, registry, archive });
    const states = threadStates(graphOf);
    const changed = runtime.threadChanged;
    const updates = stateUpdates({ threads: state.threads, checkpointer, registry, graphOf, changed });
    const startedAt = Date.now();
    const assistants = createAssistants({
      store: state.assistants,
      registry,
      configs: json?.graphConfigs ?? {},
      startedAt,
      deleteThreads: assistantThreads({ threads: archive.threads, runtime }),
    });
    const sweeping = openSweeps({
      removal: archive.removal,
      expireThread: runtime.expireThread,
      sweeps: state.sweeps,
      retentionDays: chat_history.retention_days,
      eventRetentionHours: chat_history.event_retention_hours,
      threadMinutes: json?.checkpointer?.ttl?.sweep_interval_minutes,
      storeMinutes: store.ttl.sweep_interval_minutes,
      log,
    });
    const copies = secondCopies(loaded.projectFolder);
    for (const note of copies.notes) log.info(note);
    const warnings = [
      ...configurationWarnings(loaded),
      ...copies.warnings,
      ...ignored,
      ...configNotes({ registry, configs: json?.graphConfigs ?? {} }),
      ...registry.workflows.flatMap(({ notes }) => notes),
      ...(await revisionWarnings(registry.workflows, promptFiles)),
      ...registry.workflows.flatMap(({ problem }) =>
        problem ? [`A workflow cannot be loaded: ${problem}`] : [],
      ),
    ];
    let ready = false;
    let base = '';
    const diagnosis = {
      directories: {
        prompts: place,
        state: statePlace(settings),
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
      ...{ runtime, registry, models, state, archive, assistants, fork, states, updates, sql },
      ...{ authenticator, threadTtl, limits, web, webhooks, metrics, log, diagnosis, typedSchemas },
      ...{ promptFiles, promptEditor: promptEditor(promptFiles, shipped, renderer) },
      ...{ knowledge, documentAuthors: state.documentAuthors, crons: state.crons, counters: state.counters },
      ...{ httpApp, startedAt, version: VERSION },
      studio: createStudioFiles(),
      components: componentBundles(json?.ui),
      isTestBuild: process.env.NODE_ENV === 'test',
      ready: () => ready,
      baseUrl: () => base,
    };
    const serving = createApp(serviceParts);
    const work = langgraphWork(serviceParts, inProcess);
    app = serving;
    return {
      app: role === 'worker' ? workerFace(serving, log) : serving,
      role,
      log,
      warnings,
      offline: models.offline,
      async start(baseUrl, { onlyRequests = !executes } = {}) {
        base = baseUrl;
        inProcess.serve(baseUrl);
        // Runs that go on come before documents that are read.
        const recovered = await runtime.recover();
        if (!onlyRequests) await knowledge.start();
        ready = true;
        if (!onlyRequests) {
          sweeping.start();
          work.start();
        }
        log.info({ role, state: statePlace(settings) }, 'service started');
        sql.seed().catch((err) => log.error({ err }, 'the sample database could not be made'));
        return recovered;
      },
      async close(drainSeconds) {
        ready = false;
        typedSchemas.close();
        const until = Date.now() + drainSeconds * 1000;
        await work.stopCrons();
        await Promise.all([sweeping.stop(), runtime.drain(drainSeconds * 1000)]);
        await work.stopWebhooks();
        const rest = Math.max(LAST_ANSWERS_MS, until - Date.now());
        await Promise.all([serving.close(rest), pendingCallbacks(LAST_CALLBACKS_MS)]);
        inProcess.close();
        await sql.close();
        await knowledge.close();
        await state.close();
      },
    };
  } catch (error) {
    inProcess.close();
    await state.close();
    throw error;
  }
}

/** Sample data grows where it is asked for, or where nobody named a place: never at a mistyped path. */
export function seedsSampleDatabase({ settings, sources }: LoadedSettings): boolean {
  return settings.local_sql_db.seed_samples ?? sources['local_sql_db.database_path'] === 'default';
}
