/** What a service does when it starts, leaves and closes, in its order. */
import type { Logger } from 'pino';
import type { TypedSchemas } from '../../graphs/adoption/schemas/typed-schemas.ts';
import type { DatasetRuns } from '../../runtime/datasets/dataset-runs.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { App } from '../../server/app.ts';
import type { Authenticator } from '../../server/authentication/authenticator.ts';
import type { InProcess } from '../../server/http-app/in-process.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import type { OpenedState } from '../../state/opened-state.ts';
import type { KnowledgeBase } from '../../tools/knowledge/open.ts';
import type { McpServers } from '../../tools/mcp/servers.ts';
import type { SqlDatabase } from '../../tools/sql/open.ts';
import type { Tracing } from '../../tools/telemetry/tracing.ts';
import type { LangGraphWork } from './langgraph-work.ts';
import { statePlace } from './open-state.ts';
import { pendingCallbacks } from './pending-callbacks.ts';
import type { VolumeWatch } from './state-volume.ts';
import type { Sweeps } from './sweeps.ts';

/** Where a service stands between its start and its end. */
export interface Phase {
  isReady: boolean;
  isLeaving: boolean;
  /** Where people reach it. */
  baseUrl: string;
}

export interface Lifecycle {
  /** Goes on with what an earlier process left, then takes requests; gives how many runs go on. */
  start(baseUrl: string, options?: StartOptions): Promise<number>;
  /** `/readyz` fails from now on; requests are served as before. */
  leave(): void;
  /** Refuses new work, lets running turns end for `drainSeconds`, closes everything. */
  close(drainSeconds: number): Promise<void>;
}

export interface StartOptions {
  /** Others are there for what nobody asks this one for: crons, webhooks, sweeps and the index of the documents. */
  onlyRequests?: boolean;
}

export interface LifecycleParts {
  loaded: LoadedSettings;
  phase: Phase;
  inProcess: InProcess;
  runtime: Runtime;
  authenticator: Authenticator;
  knowledge: KnowledgeBase;
  volume: VolumeWatch;
  retention: string | undefined;
  sweeping: Sweeps;
  work: LangGraphWork;
  datasetRuns: Pick<DatasetRuns, 'stop'>;
  log: Logger;
  sql: SqlDatabase;
  mcpServers: McpServers;
  state: OpenedState;
  tracing: Tracing | undefined;
  typedSchemas: TypedSchemas;
  serving: App;
  /** False for a server that runs nothing. */
  executes: boolean;
}

// For the other, short calls, if turns have used up the whole drain time.
const LAST_ANSWERS_MS = 1_000;
const LAST_CALLBACKS_MS = 2_000;
// An endpoint that is away must not hold up the end of the process.
const LAST_SPANS_MS = 3_000;

export function lifecycle(parts: LifecycleParts): Lifecycle {
  const { loaded, phase, inProcess, runtime, authenticator, knowledge, volume, retention, sweeping, work } =
    parts;
  const { log, sql, mcpServers, state, tracing, typedSchemas, serving, executes, datasetRuns } = parts;
  return {
    async start(baseUrl, { onlyRequests = !executes } = {}) {
      phase.baseUrl = baseUrl;
      inProcess.serve(new URL(baseUrl).origin);
      // Runs that go on come before documents that are read.
      const recovered = await runtime.recover();
      // A first fetch of the issuer's keys: one that fails is in the log.
      authenticator.failing();
      if (!onlyRequests) await knowledge.start();
      phase.isReady = true;
      volume.start();
      if (retention !== undefined) log.info(retention);
      if (!onlyRequests) {
        sweeping.start();
        work.start();
      }
      log.info({ role: loaded.settings.cluster.role, state: statePlace(loaded.settings) }, 'service started');
      sql.seed().catch((err) => log.error({ err }, 'the sample database could not be made'));
      return recovered;
    },
    leave() {
      phase.isLeaving = true;
    },
    async close(drainSeconds) {
      phase.isReady = false;
      typedSchemas.close();
      const until = Date.now() + drainSeconds * 1000;
      // Together: once `/readyz` fails, what is asked is refused.
      const asked = datasetRuns.stop();
      const drained = runtime.drain(drainSeconds * 1000);
      await Promise.all([work.stopCrons(), sweeping.stop(), volume.stop(), drained, asked]);
      await work.stopWebhooks();
      const rest = Math.max(LAST_ANSWERS_MS, until - Date.now());
      await Promise.all([serving.close(rest), pendingCallbacks(LAST_CALLBACKS_MS)]);
      inProcess.close();
      await Promise.all([sql.close(), mcpServers.close()]);
      await knowledge.close();
      await state.close();
      await tracing?.close(LAST_SPANS_MS);
    },
  };
}
