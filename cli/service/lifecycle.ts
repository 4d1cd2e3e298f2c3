/** The order of steps when a service starts, drains and closes. */
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
import type { VolumeWatch } from './checks/state-volume.ts';
import { stateLabel } from './drivers/open-state.ts';
import { pendingCallbacks } from './process/pending-callbacks.ts';
import type { LangGraphWork } from './work/langgraph-work.ts';
import type { Sweeps } from './work/sweeps.ts';

/** The service's lifecycle state. */
export interface Phase {
  isReady: boolean;
  isLeaving: boolean;
  /** Its public address. */
  baseUrl: string;
}

export interface Lifecycle {
  /** Resumes the runs of an earlier process, then accepts requests; returns the number of resumed runs. */
  start(baseUrl: string, options?: StartOptions): Promise<number>;
  /** `/readyz` fails from now on; requests are served as before. */
  leave(): void;
  /** Rejects new work, lets running turns end within `drainSeconds`, and closes everything. */
  close(drainSeconds: number): Promise<void>;
}

interface StartOptions {
  /** Background work without a request: crons, webhooks, sweeps and the index of the documents. */
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
  /** False for a server that executes no runs. */
  executes: boolean;
}

// For other, short calls, if turns have used up the whole drain time.
const LAST_ANSWERS_MS = 1_000;
const LAST_CALLBACKS_MS = 2_000;
// An unresponsive endpoint must not delay the end of the process.
const LAST_SPANS_MS = 3_000;

export function lifecycle(parts: LifecycleParts): Lifecycle {
  const { loaded, phase, inProcess, runtime, authenticator, knowledge, volume, retention, sweeping, work } =
    parts;
  const { log, sql, mcpServers, state, tracing, typedSchemas, serving, executes, datasetRuns } = parts;
  return {
    async start(baseUrl, { onlyRequests = !executes } = {}) {
      phase.baseUrl = baseUrl;
      inProcess.serve(new URL(baseUrl).origin);
      // Resumed runs start before documents are read.
      const recovered = await runtime.recover();
      // Prefetch the issuer's keys; a failure is logged.
      authenticator.failing();
      if (!onlyRequests) await knowledge.start();
      phase.isReady = true;
      volume.start();
      if (retention !== undefined) log.info(retention);
      if (!onlyRequests) {
        sweeping.start();
        work.start();
      }
      log.info({ role: loaded.settings.cluster.role, state: stateLabel(loaded.settings) }, 'service started');
      sql.seed().catch((err) => log.error({ err }, 'the sample database could not be created'));
      return recovered;
    },
    leave() {
      phase.isLeaving = true;
    },
    async close(drainSeconds) {
      phase.isReady = false;
      typedSchemas.close();
      const until = Date.now() + drainSeconds * 1000;
      // Together: once `/readyz` fails, requests are rejected.
      const datasetsStopped = datasetRuns.stop();
      const drained = runtime.drain(drainSeconds * 1000);
      await Promise.all([work.stopCrons(), sweeping.stop(), volume.stop(), drained, datasetsStopped]);
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
