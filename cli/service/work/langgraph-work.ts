/** Background work of LangGraph's protocol: starting the runs of crons, and sending webhooks. */
import type { InProcess } from '../../../server/http-app/in-process.ts';
import { cronScheduler } from '../../../server/langgraph/crons/scheduler.ts';
import { startCronRun } from '../../../server/langgraph/crons/start-cron-run.ts';
import { webhookBody } from '../../../server/langgraph/runs/webhook-body.ts';
import type { Services } from '../../../server/services.ts';
import { webhookDeliveries } from '../../../server/webhooks/deliveries.ts';
import { webhookSender } from '../../../server/webhooks/send.ts';

export interface LangGraphWork {
  start(): void;
  /** Resolves when no run is being started; before the runtime drains. */
  stopCrons(): Promise<void>;
  /** Resolves when no webhook is being sent, after at most 1 second; after the runtime has drained. */
  stopWebhooks(): Promise<void>;
}

const LAST_WEBHOOKS_MS = 1_000;

export function langgraphWork(services: Services, inProcess: InProcess): LangGraphWork {
  const { archive, crons, log, runtime, state, tracing, webhooks: options } = services;
  const scheduler = cronScheduler({
    crons,
    start: (...args) => startCronRun(services, ...args),
    removeThread: async (owner, threadId) => {
      await runtime.expireThread(owner, threadId, Number.MAX_SAFE_INTEGER);
      return (await archive.threads.find(owner, threadId)) === undefined;
    },
    log,
  });
  const bodyOf = webhookBody.bind(undefined, services);
  const deliveries = webhookDeliveries({
    queue: state.webhooks,
    send: webhookSender({ bodyOf, options, inProcess, tracing }),
    timeoutSeconds: options.timeout_seconds,
    log,
  });
  return {
    start() {
      deliveries.start();
      scheduler.start();
    },
    stopCrons: scheduler.stop,
    stopWebhooks: () => deliveries.stop(LAST_WEBHOOKS_MS),
  };
}
