/** GET /runs/{run_id}/calls: what went into a run's model calls and came out, while it is kept. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { KeptCall } from '../../runtime/journal/kept-calls.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/error-schema.ts';
import { toUsageBody, UsageBody } from '../http/usage-schema.ts';
import type { Services } from '../services.ts';
import { callFields, PromptUse } from './agent-shape.ts';
import { ownerOfRun } from './owner-of-run.ts';

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const RunCall = Type.Object(
  {
    ...callFields,
    agent: Nullable('Null: the runtime itself asked, for a summary or follow-up questions'),
    step: Nullable("The step of the agent's work"),
    messages: Type.Array(Type.Object({ role: Type.String(), content: Type.String() })),
    response: Nullable('Text, or the JSON that was asked for; null where nothing usable came'),
    usage: UsageBody,
    prompts: Type.Array(PromptUse, { description: 'The prompt files whose text is in the messages' }),
  },
  { title: 'RunCall' },
);

const RunCalls = Type.Object(
  {
    calls: Type.Array(RunCall, { description: 'In the order of their ends; long texts are cut, and say so' }),
    left_out: Type.Integer({ description: 'Calls of the run for which there was no room' }),
    kept: Type.Boolean({
      description: 'False: the service was started again since, or newer runs took the room',
    }),
  },
  { title: 'RunCalls' },
);

export const runCallRoutes = ({ operators, runtime, state }: Services) =>
  new Elysia({ prefix: '/api/v1/runs', name: 'run-calls' }).get(
    '/:run_id/calls',
    async ({ params: { run_id }, query, request, route }) => {
      const owner = await ownerOfRun({ operators, state }, { request, route, owner: query.owner }, run_id);
      const { calls, leftOut, kept } = await runtime.calls(owner, run_id);
      return { calls: calls.map(toRunCall), left_out: leftOut, kept };
    },
    {
      params: Type.Object({ run_id: Type.String() }),
      query: Type.Object(ownerQuery),
      response: { 200: RunCalls },
      detail: {
        summary: 'The messages and answers of its model calls, of the latest runs only',
        tags: ['runs'],
        responses: errorResponses('UNAUTHORIZED', 'RUN_NOT_FOUND'),
      },
    },
  );

function toRunCall({ call, by: { agent, step, prompts } }: KeptCall): Static<typeof RunCall> {
  const { model, task, messages, response, errorCode, errorDetail } = call;
  return {
    ...{ agent, step, model, task },
    started_at: new Date(call.startedAt).toISOString(),
    duration_ms: call.durationMs,
    ...{ messages, response, usage: toUsageBody(call.usage), prompts },
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
    ...(errorDetail === undefined ? {} : { error_detail: errorDetail }),
  };
}
