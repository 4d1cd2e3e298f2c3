/** Reports each completed request to the metrics, the access log and the traces. */
import type { Logger } from 'pino';
import type { ServiceMetrics } from '../../runtime/service-metrics.ts';
import type { Span, Tracing } from '../../tools/telemetry/tracing.ts';
import { knownCaller } from '../authentication/identity.ts';
import { REQUEST_ID } from '../http/headers/response-headers.ts';
import { pathOf } from '../http/path-of.ts';
import { onStreamEnd } from '../http/streams/stream-ends.ts';
import { accessLogEntry } from './access-log.ts';
import { endRequestSpan, requestSpan } from './request-span.ts';

export interface Observation {
  /** The routes get `replacement` instead of `request`. */
  replace(request: Request, replacement: Request): void;
  /** The request has matched a route. */
  matched(request: Request, route: string): void;
  /** Runs `answer` and reports the request when its response has ended. */
  observe(request: Request, answer: () => Promise<Response>): Promise<Response>;
  /** Reports a request that the project's own app answered. `began` is its arrival by `performance.now()`. */
  record(request: Request, response: Response, began: number): void;
  /** The W3C trace context of the request's span. Undefined if the request isn't traced. */
  traceparentOf(request: Request): string | undefined;
}

export interface ObservationParts {
  metrics: Pick<ServiceMetrics, 'requestEnded'>;
  /** The pattern of the route that matches a path. Empty if none does. */
  patternOf(path: string): string;
  accessLog?: Logger | undefined;
  tracing?: Tracing | undefined;
}

// The values of the metrics' `route` label. Each value is a time series, so paths without a route must not become values.
const NO_ROUTE = 'none';
const PROJECT = 'project';

interface Observed {
  began: number;
  /** The request that the routes received. The guard stores the caller under this object. */
  routedRequest: Request;
  route?: string;
  span?: Span | undefined;
}

export function observeRequests(parts: ObservationParts): Observation {
  const { metrics, patternOf, accessLog, tracing } = parts;
  const observed = new WeakMap<Request, Observed>();

  function ended(
    request: Request,
    response: Response,
    { began, routedRequest, route = '', span }: Observed,
    bytes?: number,
  ) {
    const seconds = (performance.now() - began) / 1000;
    const { method } = request;
    const path = pathOf(request);
    const { status } = response;
    const pattern = route || patternOf(path) || NO_ROUTE;
    metrics.requestEnded({ method, route: pattern, status, seconds });
    const requestId = response.headers.get(REQUEST_ID);
    if (span) endRequestSpan(span, { method, route: route || patternOf(path), status, requestId });
    accessLog?.info(
      accessLogEntry({
        ...{ method, route: pattern, path, status, seconds, bytes, requestId },
        caller: knownCaller(routedRequest)?.owner,
        traceparent: span?.traceparent,
      }),
      'request answered',
    );
  }

  /** Reads the body if there is no other way to know its size. */
  async function withSize(response: Response): Promise<[Response, number | undefined]> {
    const length = response.headers.get('content-length');
    if (length !== null) return [response, Number(length)];
    if (!response.body) return [response, 0];
    const body = await response.arrayBuffer();
    const { status, statusText, headers } = response;
    return [new Response(body, { status, statusText, headers }), body.byteLength];
  }

  async function answerAndReport(
    request: Request,
    entry: Observed,
    answer: () => Promise<Response>,
  ): Promise<Response> {
    let response: Response | undefined;
    let streamed: number | undefined;
    const stream = onStreamEnd(request.signal, (bytes) => {
      streamed = bytes;
      if (response) ended(request, response, entry, bytes);
    });
    response = await answer();
    // The response to HEAD has no body, so its stream never starts.
    if (request.method !== 'HEAD' && stream.isStream()) {
      // The client may have disconnected before the response was ready.
      if (streamed !== undefined) ended(request, response, entry, streamed);
      return response;
    }
    const [sent, bytes] = accessLog && request.method !== 'HEAD' ? await withSize(response) : [response, 0];
    ended(request, sent, entry, bytes);
    return sent;
  }

  return {
    replace(request, replacement) {
      const entry = observed.get(request);
      if (!entry) return;
      entry.routedRequest = replacement;
      observed.set(replacement, entry);
    },
    matched(request, route) {
      const entry = observed.get(request);
      if (entry) entry.route ??= route;
    },
    observe(request, answer) {
      const span = tracing && requestSpan(tracing, request);
      const entry: Observed = { began: performance.now(), routedRequest: request, span };
      observed.set(request, entry);
      if (!tracing || !span) return answerAndReport(request, entry, answer);
      return tracing.within(span, () => answerAndReport(request, entry, answer));
    },
    record(request, response, began) {
      const length = response.headers.get('content-length');
      const bytes = length === null ? undefined : Number(length);
      ended(request, response, { began, routedRequest: request, route: PROJECT }, bytes);
    },
    traceparentOf: (request) => observed.get(request)?.span?.traceparent,
  };
}
