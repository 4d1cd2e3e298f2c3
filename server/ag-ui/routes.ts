/** POST /ag-ui/{workflow}: runs a workflow as an AG-UI agent. */
import type { Event } from '@ag-ui/core';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ENTRIES } from '../../runtime/journal/entries.ts';
import { liveAnswerSourcesOf } from '../../runtime/workflows/answer-sources.ts';
import { errorBody } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import { requestContext } from '../chat/reply.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { onDisconnect } from '../http/streams/disconnect.ts';
import { sse } from '../http/streams/sse.ts';
import type { Services } from '../services.ts';
import { findRunnable } from '../workflows/find-runnable.ts';
import { eventsOf, type FollowedRun, failureOf } from './reply.ts';
import { RunAgentInput } from './schema.ts';
import { resumeTurn, startTurn } from './start-turn.ts';

export const agUiRoutes = (services: Services) =>
  new Elysia({ prefix: '/ag-ui', name: 'ag-ui' }).post(
    '/:workflow',
    async ({ params, body: input, request, set }) => {
      const workflow = findRunnable(services.registry, params.workflow, 'workflow');
      const { threadId, runId, resume = [] } = input;
      const { runtime } = services;
      const owner = ownerOf(request);
      const call = { owner, threadId, ...requestContext(set) };
      const resumes = resume.length > 0;
      const turn = await (resumes
        ? resumeTurn(services, input, call)
        : startTurn(services, workflow, { call, input }));
      const stopListening = onDisconnect(request.signal, turn.cancel);
      turn.ended.finally(stopListening).catch(() => {});
      await runtime.durable(turn.runId);
      const from = { view: ENTRIES, after: 0 };
      const followed = await runtime.follow(owner, turn.runId, from, { orEnd: true });
      const ids = { threadId, runId };
      const run = {
        storedRunId: turn.runId,
        messageId: turn.messageId,
        sources: await liveAnswerSourcesOf(workflow),
      };
      const encode = await loadEncoder();
      return sse(textsOf({ ...followed, ...run, ids, resumes }, encode), {
        signal: request.signal,
        failed: (error) => encode(failureOf(errorBody(error, call.requestId), ids)),
      });
    },
    {
      parse: 'json',
      params: Type.Object({ workflow: Type.String() }),
      body: RunAgentInput,
      detail: {
        summary: 'Run a workflow as an AG-UI agent',
        tags: ['ag-ui'],
        responses: {
          200: { description: 'A stream of AG-UI events', content: { 'text/event-stream': {} } },
          ...errorResponses(
            ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_INPUT', 'UNAUTHORIZED'] as const),
            ...(['RATE_LIMITED', 'WORKFLOW_NOT_FOUND', 'THREAD_NOT_FOUND', 'THREAD_BUSY'] as const),
            ...([
              'NOT_INTERRUPTED',
              'INTERRUPT_NOT_FOUND',
              'PAYLOAD_TOO_LARGE',
              'CONFIGURATION_ERROR',
            ] as const),
            ...([
              'WORKFLOW_CHANGED',
              'BUDGET_EXCEEDED',
              'INTERNAL_ERROR',
              'OVERLOADED',
              'SHUTTING_DOWN',
            ] as const),
          ),
        },
      },
    },
  );

type Encode = (event: Event) => string;

/** Imported with the first run, because the package also loads its Protocol Buffers encoder. */
async function loadEncoder(): Promise<Encode> {
  const { EventEncoder } = await import('@ag-ui/encoder');
  const encoder = new EventEncoder();
  return (event) => encoder.encodeSSE(event);
}

async function* textsOf(run: FollowedRun, encode: Encode): AsyncGenerator<string> {
  for await (const events of eventsOf(run)) yield events.map(encode).join('');
}
