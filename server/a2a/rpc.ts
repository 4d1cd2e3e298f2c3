/** A message of A2A's JSON-RPC and its answer: version 1.0 or 0.3, each of which has method names of its own. */
import { isLegacyJsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2AError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { type ErrorBody, errorBody, SkeinError } from '../../state/errors.ts';
import { sse } from '../http/sse.ts';
import type { Services } from '../services.ts';
import { agentCard, type CardParts } from './agent-card.ts';
import { LEGACY_LIST, legacyListing } from './legacy-listing.ts';
import { requestHandler } from './request-handler.ts';
import { rpcError, translated } from './rpc-errors.ts';
import type { AgentCall } from './tasks/agent-call.ts';

interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

interface RpcAnswer {
  id?: unknown;
  error?: RpcError;
}

export interface RpcCall extends AgentCall {
  body: { method: string; id?: string | number | null; params?: unknown };
  url: CardParts['url'];
}

export async function answered(services: Services, call: RpcCall): Promise<Response> {
  const { body, request } = call;
  const { method, id = null } = body;
  const isLegacy = isLegacyJsonRpcMethod(method) || method === LEGACY_LIST;
  const transports = isLegacy ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
  const mapped: (error: unknown) => RpcError = isLegacy
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
    : JsonRpcTransportHandler.mapToJSONRPCError;
  const failures = failuresOf(services, call);
  const completed = (answer: RpcAnswer) => withReason(answer, failures.last());
  const failed = (error: unknown) =>
    completed({ jsonrpc: '2.0', id, error: mapped(failures.known(error)) } as RpcAnswer);
  try {
    checkVersion(request);
    const card = agentCard({ ...call, ...cardFacts(services) });
    const handler = translated(requestHandler(services, call, card), failures.known);
    const given =
      method === LEGACY_LIST
        ? await legacyListing(handler, body)
        : await new transports(handler).handle(body, new ServerCallContext());
    if (!(Symbol.asyncIterator in given)) return json(completed(given as RpcAnswer), failures.last());
    const frames = framesOf(given as AsyncGenerator<RpcEvent>);
    // What is refused before the first event is no stream.
    const first = await frames.next();
    return sse(joined(first, frames), { signal: request.signal, failed: (error) => frame(failed(error)) });
  } catch (error) {
    return json(failed(error), failures.last());
  }
}

export function cardFacts({ authenticator, version }: Services): Pick<CardParts, 'version' | 'isProtected'> {
  return { version, isProtected: authenticator.protects };
}

/** The official package takes nothing else. */
function checkVersion({ headers }: Request): void {
  const version = headers.get('a2a-version')?.trim() ?? '';
  if (version !== '' && !/^(0\.3|1\.0)(\.\d+)?$/.test(version))
    throw new VersionNotSupportedError('The service speaks A2A 1.0 and 0.3');
}

/** Remembers what failed: the answer has its code, and the status of what may be tried again. */
function failuresOf({ log }: Services, { requestId }: AgentCall) {
  let last: { body: ErrorBody; error: SkeinError | undefined } | undefined;
  return {
    last: () => last,
    known(error: unknown): Error {
      if (error instanceof A2AError) return error;
      if (!(error instanceof SkeinError)) log.error({ err: error, request_id: requestId }, 'request failed');
      const body = errorBody(error, requestId);
      last = { body, error: error instanceof SkeinError ? error : undefined };
      return rpcError(body);
    },
  };
}

type Failure = ReturnType<ReturnType<typeof failuresOf>['last']>;

const [INVALID_PARAMS, INTERNAL_ERROR] = [-32602, -32603];

/** What no method has thrown, the package threw at parameters that it can't read; its words name its own variables. */
function withReason(answer: RpcAnswer, failure: Failure): RpcAnswer {
  const { error } = answer;
  if (!error) return answer;
  if (failure) return { ...answer, error: { ...error, data: error.data ?? failure.body } };
  if (error.code !== INTERNAL_ERROR) return answer;
  return { ...answer, error: { code: INVALID_PARAMS, message: 'Invalid method parameters.' } };
}

function json(answer: RpcAnswer, failure: Failure): Response {
  const { status = 200, retryAfter } = failure?.error ?? {};
  const response = Response.json(answer, { status: status === 429 || status === 503 ? status : 200 });
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  return response;
}

interface RpcEvent {
  result: { final?: boolean; status?: { state: unknown } };
}

async function* framesOf(events: AsyncGenerator<RpcEvent>): AsyncGenerator<string> {
  for await (const event of events) yield frame(withFinal(event));
}

/** To version 0.3 a question ends the stream too, which the package leaves open. */
function withFinal(event: RpcEvent): RpcEvent {
  const { final, status } = event.result;
  if (final !== false || status?.state !== 'input-required') return event;
  return { ...event, result: { ...event.result, final: true } };
}

async function* joined(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

function frame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
