/** The service's other metrics: requests, queue times, model calls, the event loop, writes, searches and disks. */

import type { EndedCall } from '../tools/models/call/call.ts';
import { Counter, Gauge, Histogram, type Registry } from './prometheus.ts';

export interface ServiceMetrics {
  /** A response was sent completely. `route` is the route's pattern. */
  requestEnded(request: EndedRequest): void;
  /** A run started after this time in the queue. */
  runClaimed(seconds: number): void;
  /** A run produced its first text this long after its start. */
  firstToken(workflow: string, seconds: number): void;
  modelCalled(call: Pick<EndedCall, 'model' | 'errorCode'>): void;
  /** A timer of the event loop fired this much too late. */
  loopDelayed(seconds: number): void;
  stateWritten(seconds: number): void;
  indexSearched(seconds: number): void;
}

interface EndedRequest {
  method: string;
  route: string;
  status: number;
  seconds: number;
}

/** Values that are read for each request of the metrics. */
export interface Readings {
  /** The state of each configured model's circuit breaker. */
  breakers: { model: string; open: boolean }[];
  /** Bytes on disk by part of the service. */
  disk: Record<string, number>;
}

// Seconds: from a statement that is answered from memory to one that waits for a slow disk or an overloaded server.
const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
// Seconds that users wait: up to the longest run that the default deadline allows.
const LONG = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const QUEUE = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export function serviceMetrics(registers: Registry[]): ServiceMetrics & { read(readings: Readings): void } {
  const requests = new Counter({
    name: 'skein_http_requests_total',
    help: 'Answered HTTP requests',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'skein_http_request_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['route'],
    buckets: LONG,
    registers,
  });
  const queue = histogram('skein_run_queue_seconds', 'Time that runs waited for their turn', QUEUE);
  const firstToken = new Histogram({
    name: 'skein_first_token_seconds',
    help: 'Time from the start of a run to its first text',
    labelNames: ['workflow'],
    buckets: LONG,
    registers,
  });
  const calls = new Counter({
    name: 'skein_model_calls_total',
    help: 'Model calls, retries and fallbacks within them not counted',
    labelNames: ['model', 'outcome'],
    registers,
  });
  const loop = histogram(
    'skein_event_loop_delay_seconds',
    'How late a timer of the event loop went off, ten times a second',
    SHORT,
  );
  const writes = histogram('skein_state_write_seconds', 'Time of writes to the database of the state', SHORT);
  const searches = histogram('skein_index_search_seconds', 'Time of searches in the knowledge base', SHORT);
  const breakers = new Gauge({
    name: 'skein_model_breaker_open',
    help: '1 while calls of the model fail immediately because its provider is down',
    labelNames: ['model'],
    registers,
  });
  const disk = new Gauge({
    name: 'skein_disk_bytes',
    help: 'Bytes on disk, measured once a minute at most',
    labelNames: ['part'],
    registers,
  });

  function histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers });
  }

  return {
    requestEnded({ method, route, status, seconds: took }) {
      requests.inc({ method: METHODS.has(method) ? method : 'OTHER', route, status });
      seconds.observe({ route }, took);
    },
    runClaimed: (waited) => queue.observe(waited),
    firstToken: (workflow, took) => firstToken.observe({ workflow }, took),
    modelCalled: ({ model, errorCode }) => calls.inc({ model, outcome: outcomeOf(errorCode) }),
    loopDelayed: (delay) => loop.observe(delay),
    stateWritten: (took) => writes.observe(took),
    indexSearched: (took) => searches.observe(took),
    read(readings) {
      for (const { model, open } of readings.breakers) breakers.set({ model }, open ? 1 : 0);
      for (const [part, bytes] of Object.entries(readings.disk)) disk.set({ part }, bytes);
    },
  };
}

// Clients can send any method, and each value of a label is a time series.
const METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
]);

function outcomeOf(errorCode: EndedCall['errorCode']): string {
  if (errorCode === undefined) return 'succeeded';
  if (errorCode === 'RUN_CANCELLED' || errorCode === 'SHUTTING_DOWN') return 'cancelled';
  return errorCode === 'BUDGET_EXCEEDED' ? 'refused' : 'failed';
}
