/** POST /ag-ui/{workflow}: a workflow as an agent of AG-UI's clients. */
import type { Event } from '@ag-ui/core';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ENTRIES } from '../../runtime/journal/entries.ts';
import { liveSpeakersOf } from '../../runtime/workflows/speakers.ts';
import { errorBody } from '../../state/errors.ts';
import { runnableNamed } from '../ai-sdk/asked.ts';
import { ownerOf } from '../authentication/identity.ts';
import { callOf } from '../chat/reply.ts';
import { whenCallerGone } from '../http/caller-gone.ts';
import { errorResponses } from '../http/error-schema.ts';
import { sse } from '../http/sse.ts';
import type { Services } from '../services.ts';
import { answer, ask } from './asked.ts';
import { eventsOf, failureOf, type Said } from './reply.ts';
import { RunAgentInput } from './schema.ts';

export const agUiRoutes = (services: Services) =>
  new Elysia({ prefix: '/ag-ui', name: 'ag-ui' }).post(
    '/:workflow',
    async ({ params, body: input, request, set }) => {
      const workflow = runnableNamed(services.registry, params.workflow);
      const { threadId, runId, resume = [] } = input;
      const { runtime } = services;
      const owner = ownerOf(request);
      const call = { owner, threadId, ...callOf(set) };
      const resumes = resume.length > 0;
      const turn = await (resumes ? answer(services, input, call) : ask(services, workflow, { call, input }));
      const leave = whenCallerGone(request.signal, turn.cancel);
      turn.ended.finally(leave).catch(() => {});
      await runtime.durable(turn.runId);
      const from = { view: ENTRIES, after: 0 };
      const followed = await runtime.follow(owner, turn.runId, from, { orEnd: true });
      const ids = { threadId, runId };
      const own = {
        ownRunId: turn.runId,
        messageId: turn.messageId,
        speakers: await liveSpeakersOf(workflow),
      };
      const encoded = await encoder();
      return sse(textsOf({ ...followed, ...own, ids, resumes }, encoded), {
        signal: request.signal,
        failed: (error) => encoded(failureOf(errorBody(error, call.requestId), ids)),
      });
    },
    {
      parse: 'json',
      params: Type.Object({ workflow: Type.String() }),
      body: RunAgentInput,
      detail: {
        summary: 'Run a workflow as an agent of AG-UI',
        tags: ['ag-ui'],
        responses: {
          200: { description: "AG-UI's events", content: { 'text/event-stream': {} } },
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

/** Loaded with the first run: it brings what encodes events as Protocol Buffers too. */
async function encoder(): Promise<Encode> {
  const { EventEncoder } = await import('@ag-ui/encoder');
  const made = new EventEncoder();
  return (event) => made.encodeSSE(event);
}

async function* textsOf(run: Said, encoded: Encode): AsyncGenerator<string> {
  for await (const events of eventsOf(run)) yield events.map(encoded).join('');
}
