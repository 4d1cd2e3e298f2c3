/** Handles an A2A JSON-RPC request of version 1.0 or 0.3. The method name determines the version. */
import { isLegacyJsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2AError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { type ErrorBody, errorBody, SkeinError } from '../../state/errors.ts';
import { sse } from '../http/streams/sse.ts';
import type { Services } from '../services.ts';
import { agentCard, type CardParts } from './agent-card.ts';
import { LEGACY_LIST, legacyListing } from './legacy-listing.ts';
import { checkParams } from './params-check.ts';
import { requestHandler } from './request-handler.ts';
import { rpcError, withMappedErrors } from './rpc-errors.ts';
import type { AgentCall } from './tasks/agent-call.ts';

interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

interface RpcResponse {
  id?: unknown;
  error?: RpcError;
}

export interface RpcCall extends AgentCall {
  body: { method: string; id?: string | number | null; params?: unknown };
  url: CardParts['url'];
}

/** Returns the result as JSON or as a stream of events; errors are JSON-RPC errors. */
export async function handleRpc(services: Services, call: RpcCall): Promise<Response> {
  const { body, request } = call;
  const { method, id = null } = body;
  const isLegacy = isLegacyJsonRpcMethod(method) || method === LEGACY_LIST;
  const Transport = isLegacy ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
  const toRpcError: (error: unknown) => RpcError = isLegacy
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
    : JsonRpcTransportHandler.mapToJSONRPCError;
  const failures = recordFailures(services, call);
  const withData = (response: RpcResponse) => withErrorData(response, failures.last());
  const errorResponse = (error: unknown) =>
    withData({ jsonrpc: '2.0', id, error: toRpcError(failures.record(error)) } as RpcResponse);
  try {
    checkVersion(request);
    checkParams(body.params ?? {});
    const card = agentCard({ ...call, ...cardFacts(services) });
    const handler = withMappedErrors(requestHandler(services, call, card), failures.record);
    const result =
      method === LEGACY_LIST
        ? await legacyListing(handler, body)
        : await new Transport(handler).handle(body, new ServerCallContext());
    if (!(Symbol.asyncIterator in result)) return json(withData(result as RpcResponse), failures.last());
    const frames = framesOf(result as AsyncGenerator<RpcEvent>);
    // Wait for the first event, so that a rejected call gets a JSON response instead of a stream.
    const first = await frames.next();
    return sse(prepend(first, frames), {
      signal: request.signal,
      failed: (error) => frame(errorResponse(error)),
    });
  } catch (error) {
    return json(errorResponse(error), failures.last());
  }
}

/** The parts of an agent card that are the same for all agents. */
export function cardFacts({ authenticator, version }: Services): Pick<CardParts, 'version' | 'isProtected'> {
  return { version, isProtected: authenticator.protects };
}

/** Throws VersionNotSupportedError for versions that the official package doesn't support. */
function checkVersion({ headers }: Request): void {
  const version = headers.get('a2a-version')?.trim() ?? '';
  if (version !== '' && !/^(0\.3|1\.0)(\.\d+)?$/.test(version))
    throw new VersionNotSupportedError('Supported A2A versions: 1.0 and 0.3');
}

/** Records the last error of the call, because the response needs its error body, status and Retry-After. */
function recordFailures({ log }: Services, { requestId }: AgentCall) {
  let last: { body: ErrorBody; error: SkeinError | undefined } | undefined;
  return {
    last: () => last,
    record(error: unknown): Error {
      if (error instanceof A2AError) return error;
      if (!(error instanceof SkeinError)) log.error({ err: error, request_id: requestId }, 'request failed');
      const body = errorBody(error, requestId);
      last = { body, error: error instanceof SkeinError ? error : undefined };
      return rpcError(body);
    },
  };
}

type Failure = ReturnType<ReturnType<typeof recordFailures>['last']>;

const [INVALID_PARAMS, INTERNAL_ERROR] = [-32602, -32603];

/**
 * Adds the error body as `data`. An internal error that no method threw comes from the package, which couldn't parse the
 * parameters: it becomes "invalid params", because the package's message names its own variables.
 */
function withErrorData(response: RpcResponse, failure: Failure): RpcResponse {
  const { error } = response;
  if (!error) return response;
  if (failure) return { ...response, error: { ...error, data: error.data ?? failure.body } };
  if (error.code !== INTERNAL_ERROR) return response;
  return { ...response, error: { code: INVALID_PARAMS, message: 'Invalid method parameters.' } };
}

/** JSON-RPC errors have status 200, except 429 and 503, which tell clients to retry. */
function json(body: RpcResponse, failure: Failure): Response {
  const { status = 200, retryAfter } = failure?.error ?? {};
  const response = Response.json(body, { status: status === 429 || status === 503 ? status : 200 });
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  return response;
}

interface RpcEvent {
  result: { final?: boolean; status?: { state: unknown } };
}

async function* framesOf(events: AsyncGenerator<RpcEvent>): AsyncGenerator<string> {
  for await (const event of events) yield frame(withFinal(event));
}

/** In version 0.3, `input-required` ends the stream, but the package doesn't set `final` for it. */
function withFinal(event: RpcEvent): RpcEvent {
  const { final, status } = event.result;
  if (final !== false || status?.state !== 'input-required') return event;
  return { ...event, result: { ...event.result, final: true } };
}

async function* prepend(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

function frame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
