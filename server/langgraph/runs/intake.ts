/** Starts the runs that LangGraph's clients ask for, on a thread of theirs or on one of its own. */
import { Value } from '@sinclair/typebox/value';
import { type Context, status } from 'elysia';
import type { ProtocolTurn } from '../../../runtime/intake/protocol-run.ts';
import type { StoredThread } from '../../../state/archive.ts';
import { SkeinError } from '../../../state/errors.ts';
import { callerOf } from '../../authentication/identity.ts';
import { callOf } from '../../chat/reply.ts';
import { ThreadId } from '../../http/thread-id.ts';
import type { Services } from '../../services.ts';
import { checkWebhook } from '../../webhooks/destination.ts';
import { findAssistant } from '../assistants/find-assistant.ts';
import { foundThread } from '../threads/find-thread.ts';
import { type RunCreate, runRequest } from './run-create.ts';

export interface Started {
  turn: ProtocolTurn;
  owner: string;
  /** The path of the run, as the clients come back to it. */
  path: string;
}

export interface Asking {
  request: Request;
  set: Pick<Context['set'], 'headers'>;
  body: RunCreate;
  /** Names the run, so that it is started once. */
  idempotency?: { key: string; digest: string };
}

/** `threadId`: undefined for a thread of its own, which goes with the run unless it is to be kept. */
export async function startRun(
  services: Services,
  threadId: string | undefined,
  { request, set, body, idempotency }: Asking,
): Promise<Started> {
  const { owner } = callerOf(request);
  if (typeof body.webhook === 'string') checkWebhook(body.webhook, services.webhooks);
  const assistant = await findAssistant(services, request, body.assistant_id);
  const thread = threadId === undefined ? undefined : await threadFor(services, request, threadId, body);
  const asked = runRequest(body, {
    ...{ owner, assistant, threadId: thread?.threadId ?? Bun.randomUUIDv7() },
    threadMetadata: inherited(thread?.metadata),
    temporary: thread === undefined && !KEEPS.includes(body.on_completion ?? ''),
    identity: identityOf(request),
    headers: passedOn(request.headers),
    ...callOf(set),
  });
  const turn = await services.runtime.protocolRun({ ...asked, idempotency }).catch((error) => {
    throw asked.strategy === 'reject' ? refusal(error) : error;
  });
  const path = thread ? `/threads/${thread.threadId}/runs/${turn.runId}` : `/runs/${turn.runId}`;
  return { turn, owner, path };
}

/** What keeps the thread of a run that has one of its own. */
const KEEPS = ['keep', 'continue'];

async function threadFor(
  { archive }: Services,
  request: Request,
  threadId: string,
  { if_not_exists }: RunCreate,
): Promise<Pick<StoredThread, 'threadId' | 'metadata'>> {
  if (if_not_exists === 'create') {
    if (!Value.Check(ThreadId, threadId))
      throw new SkeinError('INVALID_REQUEST', { detail: `thread_id: expected ${ThreadId.description}` });
    // A new one is made with the run.
    const known = await archive.threads.find(callerOf(request).owner, threadId);
    return known ?? { threadId, metadata: {} };
  }
  return foundThread(archive, request, threadId);
}

/** The graph and the assistant are the run's own. */
function inherited(metadata: Record<string, unknown> = {}): Record<string, unknown> {
  const { graph_id: _, assistant_id: __, ...rest } = metadata;
  return rest;
}

// Secrets are not for graphs.
const WITHHELD = ['x-api-key', 'x-tenant-id', 'x-service-key'];

/** The headers that graphs find in `configurable`. */
function passedOn(headers: Headers): Record<string, string> {
  const own = [...headers].filter(([name]) => name.startsWith('x-') && !WITHHELD.includes(name));
  const agent = headers.get('user-agent');
  return { ...Object.fromEntries(own), ...(agent && { 'user-agent': agent }) };
}

/** Who asks, under LangGraph's names; nothing where nobody has to say who they are. */
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

/** Of a run that was not to wait: with the reference server's status. */
function refusal(error: unknown): unknown {
  return error instanceof SkeinError && error.code === 'THREAD_BUSY' ? status(422, BUSY) : error;
}
