/** Tells of each request when its answer has been sent: to the metrics, the access log and the traces. */
import type { Logger } from 'pino';
import type { ServiceMetrics } from '../../runtime/service-metrics.ts';
import type { Span, Tracing } from '../../tools/telemetry/tracing.ts';
import { knownCaller } from '../authentication/identity.ts';
import { REQUEST_ID } from '../http/response-headers.ts';
import { awaitStream } from '../http/stream-ends.ts';
import { accessLogEntry } from './access-log.ts';
import { endRequestSpan, requestSpan } from './request-span.ts';

export interface Observation {
  /** `asked` goes to the routes in place of the request. */
  standsFor(asked: Request, request: Request): void;
  /** The request has matched a route. */
  routed(request: Request, route: string): void;
  /** Answers the request with what `answer` gives. */
  answered(request: Request, answer: () => Promise<Response>): Promise<Response>;
  /** Another part has answered a request that came at `began`, by `performance.now()`. */
  elsewhere(request: Request, response: Response, began: number): void;
  /** The W3C trace that belongs to the request; undefined where it is not traced. */
  traceparentOf(request: Request): string | undefined;
}

export interface ObservationParts {
  metrics: Pick<ServiceMetrics, 'requestEnded'>;
  /** The pattern of the route that a path has; empty where there is none. */
  patternOf(path: string): string;
  /** Where a line for each request is logged. */
  accessLog?: Logger | undefined;
  tracing?: Tracing | undefined;
}

// Each value of a label is a time series: no path may become one.
const NO_ROUTE = 'none';
const PROJECT = 'project';

interface Observed {
  began: number;
  /** The request as the routes got it. */
  asked: Request;
  route?: string;
  span?: Span | undefined;
}

export function observeRequests(parts: ObservationParts): Observation {
  const { metrics, patternOf, accessLog, tracing } = parts;
  const observed = new WeakMap<Request, Observed>();

  function ended(
    request: Request,
    response: Response,
    { began, asked, route = '', span }: Observed,
    bytes?: number,
  ) {
    const seconds = (performance.now() - began) / 1000;
    const { method } = request;
    const { pathname } = new URL(request.url, 'http://localhost');
    const { status } = response;
    const pattern = route || patternOf(pathname) || NO_ROUTE;
    metrics.requestEnded({ method, route: pattern, status, seconds });
    const requestId = response.headers.get(REQUEST_ID);
    if (span) endRequestSpan(span, { method, route: route || patternOf(pathname), status, requestId });
    accessLog?.info(
      accessLogEntry({
        ...{ method, route: pattern, path: pathname, status, seconds, bytes, requestId },
        caller: knownCaller(asked)?.owner,
        traceparent: span?.traceparent,
      }),
      'request answered',
    );
  }

  async function sized(response: Response): Promise<[Response, number | undefined]> {
    const length = response.headers.get('content-length');
    if (length !== null) return [response, Number(length)];
    if (!response.body) return [response, 0];
    const body = await response.arrayBuffer();
    const { status, statusText, headers } = response;
    return [new Response(body, { status, statusText, headers }), body.byteLength];
  }

  async function finished(
    request: Request,
    of: Observed,
    answer: () => Promise<Response>,
  ): Promise<Response> {
    let response: Response | undefined;
    let streamed: number | undefined;
    const stream = awaitStream(request.signal, (bytes) => {
      streamed = bytes;
      if (response) ended(request, response, of, bytes);
    });
    response = await answer();
    // Of HEAD only the head is sent.
    if (request.method !== 'HEAD' && stream.isStream()) {
      // Its reader may have gone before there was an answer.
      if (streamed !== undefined) ended(request, response, of, streamed);
      return response;
    }
    const [sent, bytes] = accessLog && request.method !== 'HEAD' ? await sized(response) : [response, 0];
    ended(request, sent, of, bytes);
    return sent;
  }

  return {
    standsFor(asked, request) {
      const of = observed.get(request);
      if (!of) return;
      of.asked = asked;
      observed.set(asked, of);
    },
    routed(request, route) {
      const of = observed.get(request);
      if (of) of.route ??= route;
    },
    answered(request, answer) {
      const span = tracing && requestSpan(tracing, request);
      const of: Observed = { began: performance.now(), asked: request, span };
      observed.set(request, of);
      if (!tracing || !span) return finished(request, of, answer);
      return tracing.within(span, () => finished(request, of, answer));
    },
    elsewhere(request, response, began) {
      const length = response.headers.get('content-length');
      const bytes = length === null ? undefined : Number(length);
      ended(request, response, { began, asked: request, route: PROJECT }, bytes);
    },
    traceparentOf: (request) => observed.get(request)?.span?.traceparent,
  };
}
