/** Starts runs that LangGraph's clients request, on an existing or a new thread. */
import { Value } from '@sinclair/typebox/value';
import { type Context, status } from 'elysia';
import type { ProtocolTurn } from '../../../runtime/intake/protocol-run.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { StoredThread } from '../../../state/threads/archive.ts';
import { callerOf } from '../../authentication/identity.ts';
import { requestContext } from '../../chat/reply.ts';
import { ThreadId } from '../../http/schemas/thread-id.ts';
import type { Services } from '../../services.ts';
import { checkWebhook } from '../../webhooks/destination.ts';
import { findAssistant } from '../assistants/find-assistant.ts';
import { findThread } from '../threads/find-thread.ts';
import { type RunCreate, runRequest } from './run-create.ts';

export interface StartedRun {
  turn: ProtocolTurn;
  owner: string;
  /** The path of the run, relative to the API's root. */
  path: string;
}

export interface RunStart {
  request: Request;
  set: Pick<Context['set'], 'headers'>;
  body: RunCreate;
  /** Requests with the same key start only one run. */
  idempotency?: { key: string; digest: string };
}

/**
 * `threadId`: undefined for a new thread, which is deleted after the run unless `on_completion` keeps it. Throws
 * WORKFLOW_NOT_FOUND, THREAD_NOT_FOUND or INVALID_REQUEST. Throws a response with status 422 if the thread is busy and
 * `multitask_strategy` is `reject`.
 */
export async function startRun(
  services: Services,
  threadId: string | undefined,
  { request, set, body, idempotency }: RunStart,
): Promise<StartedRun> {
  const { owner } = callerOf(request);
  if (typeof body.webhook === 'string') checkWebhook(body.webhook, services.webhooks);
  const assistant = await findAssistant(services, request, body.assistant_id);
  const thread = threadId === undefined ? undefined : await threadFor(services, request, threadId, body);
  const run = runRequest(body, {
    ...{ owner, assistant, threadId: thread?.threadId ?? Bun.randomUUIDv7() },
    threadMetadata: inheritedMetadata(thread?.metadata),
    temporary: thread === undefined && !KEEPING.includes(body.on_completion ?? ''),
    identity: identityOf(request),
    headers: graphHeaders(request.headers),
    ...requestContext(set),
  });
  const turn = await services.runtime.protocolRun({ ...run, idempotency }).catch((error) => {
    throw run.strategy === 'reject' ? busyStatus(error) : error;
  });
  const path = thread ? `/threads/${thread.threadId}/runs/${turn.runId}` : `/runs/${turn.runId}`;
  return { turn, owner, path };
}

/** The values of `on_completion` that keep the thread of a stateless run. */
const KEEPING = ['keep', 'continue'];

async function threadFor(
  { archive }: Services,
  request: Request,
  threadId: string,
  { if_not_exists }: RunCreate,
): Promise<Pick<StoredThread, 'threadId' | 'metadata'>> {
  if (if_not_exists === 'create') {
    if (!Value.Check(ThreadId, threadId))
      throw new SkeinError('INVALID_REQUEST', { detail: `thread_id: expected ${ThreadId.description}` });
    // If the thread doesn't exist, the run creates it.
    const existing = await archive.threads.find(callerOf(request).owner, threadId);
    return existing ?? { threadId, metadata: {} };
  }
  return findThread(archive, request, threadId);
}

/** A run inherits the thread's metadata, except its graph and assistant: the run has its own. */
function inheritedMetadata(metadata: Record<string, unknown> = {}): Record<string, unknown> {
  const { graph_id: _, assistant_id: __, ...rest } = metadata;
  return rest;
}

// Headers with secrets, which graphs must not see.
const SECRET_HEADERS = ['x-api-key', 'x-tenant-id', 'x-service-key'];

/** The headers that are passed to graphs in `configurable`. */
function graphHeaders(headers: Headers): Record<string, string> {
  const custom = [...headers].filter(([name]) => name.startsWith('x-') && !SECRET_HEADERS.includes(name));
  const userAgent = headers.get('user-agent');
  return { ...Object.fromEntries(custom), ...(userAgent && { 'user-agent': userAgent }) };
}

/** The caller's identity in the fields of `configurable` that LangGraph's servers set; empty for anonymous callers. */
function identityOf(request: Request): Record<string, unknown> {
  const { owner, name } = callerOf(request);
  if (owner === 'anonymous') return {};
  return {
    langgraph_auth_user: { identity: owner, display_name: name, is_authenticated: true, permissions: [] },
    langgraph_auth_user_id: owner,
    langgraph_auth_permissions: [],
    user_id: owner,
  };
}

const BUSY =
  'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.';

/** With `multitask_strategy: reject`, a busy thread gets the reference server's status. */
function busyStatus(error: unknown): unknown {
  return error instanceof SkeinError && error.code === 'THREAD_BUSY' ? status(422, BUSY) : error;
}
