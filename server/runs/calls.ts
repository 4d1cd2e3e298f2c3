/** GET /runs/{run_id}/calls: the messages and responses of a run's model calls, which are only kept for recent runs. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { RecordedCall } from '../../runtime/journal/recorded-calls.ts';
import type { RecordedPrompt } from '../../runtime/journal/recorded-texts.ts';
import { Role, WireToolCall } from '../../runtime/replays/call-request.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { PromptUse } from './agent-shape.ts';
import {
  endedFields,
  Nullable,
  parameterFields,
  toEndedFields,
  toParameterFields,
  toWireMessage,
} from './call-shape.ts';
import { ownerOfRun } from './owner-of-run.ts';
import { runParams } from './shape.ts';

const SentMessage = Type.Object(
  {
    role: Role,
    content: Type.String({
      description: "The text. Messages of the service's own client include their tool calls as text",
    }),
    text: Type.Optional(Type.String({ description: 'Only the text, for a message with tool calls' })),
    tool_calls: Type.Optional(Type.Array(WireToolCall, { description: "The assistant's tool calls" })),
    tool_call_id: Type.Optional(Type.String({ description: 'The tool call that this is the result of' })),
  },
  { title: 'SentMessage' },
);

const SentPrompt = Type.Object(
  {
    ...PromptUse.properties,
    place: Type.Optional(
      Type.Object(
        {
          message: Type.Integer({ description: 'The index of the message' }),
          start: Type.Integer({ description: 'Where the range begins in the content' }),
          end: Type.Integer({ description: 'Where the range ends, exclusive' }),
        },
        {
          description:
            'The index of the message, from 0, and the range of its content that the file rendered',
        },
      ),
    ),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The variables of the rendering. Data blocks are shown by their placeholders',
      }),
    ),
  },
  { title: 'SentPrompt' },
);

const RunCall = Type.Object(
  {
    ...endedFields,
    agent: Nullable(
      'The calling agent. Null for a call of the runtime, for a summary or follow-up questions',
    ),
    step: Nullable("The agent's step"),
    messages: Type.Array(SentMessage, { description: 'The messages that were sent' }),
    ...parameterFields,
    prompts: Type.Array(SentPrompt, { description: 'The prompt files whose text is in the messages' }),
    whole: Type.Boolean({
      description:
        "False if part of the request is missing, such as an image, the end of a long text, or tools in another provider's format",
    }),
  },
  { title: 'RunCall' },
);

const RunCalls = Type.Object(
  {
    calls: Type.Array(RunCall, {
      description: 'In the order in which they ended. Truncated text is marked',
    }),
    left_out: Type.Integer({ description: 'The number of calls that exceeded the memory limit' }),
    kept: Type.Boolean({
      description: 'False if the calls were dropped by a restart or to make room for newer runs',
    }),
    models: Type.Array(Type.String(), {
      description: 'The chat models that a replay can use, the default first',
    }),
  },
  { title: 'RunCalls' },
);

export const runCallRoutes = ({ models, operators, runtime, state }: Services) =>
  new Elysia({ prefix: '/api/v1/runs', name: 'run-calls' }).get(
    '/:run_id/calls',
    async ({ params: { run_id }, query, request, route }) => {
      const owner = await ownerOfRun({ operators, state }, { request, route, owner: query.owner }, run_id);
      const { calls, leftOut, kept } = await runtime.calls(owner, run_id);
      const names = models.states().map(({ model }) => model);
      return { calls: calls.map(toRunCall), left_out: leftOut, kept, models: names };
    },
    {
      params: runParams,
      query: Type.Object(ownerQuery),
      response: { 200: RunCalls },
      detail: {
        summary: "Get the messages and responses of a recent run's model calls",
        tags: ['runs'],
        responses: errorResponses('UNAUTHORIZED', 'RUN_NOT_FOUND'),
      },
    },
  );

function toRunCall({ call, by: { agent, step, prompts }, isWhole }: RecordedCall): Static<typeof RunCall> {
  return {
    ...{ agent, step },
    ...toEndedFields(call),
    messages: call.messages.map(toWireMessage),
    ...toParameterFields(call.parameters),
    prompts: prompts.map(toSentPrompt),
    whole: isWhole,
  };
}

function toSentPrompt({ place, variables, ...used }: RecordedPrompt): Static<typeof SentPrompt> {
  return { ...used, ...(place && { place }), ...(variables && { variables }) };
}
