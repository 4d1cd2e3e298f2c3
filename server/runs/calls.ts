/** GET /runs/{run_id}/calls: what went into a run's model calls and came out, while it is kept. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { KeptCall } from '../../runtime/journal/kept-calls.ts';
import type { KeptPrompt } from '../../runtime/journal/kept-texts.ts';
import { Role, WireToolCall } from '../../runtime/replays/call-request.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/error-schema.ts';
import type { Services } from '../services.ts';
import { PromptUse } from './agent-shape.ts';
import {
  askedFields,
  endedFields,
  Nullable,
  toAskedFields,
  toEndedFields,
  toWireMessage,
} from './call-shape.ts';
import { ownerOfRun } from './owner-of-run.ts';

const SentMessage = Type.Object(
  {
    role: Role,
    content: Type.String({
      description: "Its text; of the service's own client with its tool calls in words",
    }),
    text: Type.Optional(Type.String({ description: 'Its text alone, where it has tool calls' })),
    tool_calls: Type.Optional(Type.Array(WireToolCall)),
    tool_call_id: Type.Optional(Type.String({ description: 'The tool call whose result it is' })),
  },
  { title: 'SentMessage' },
);

const SentPrompt = Type.Object(
  {
    ...PromptUse.properties,
    place: Type.Optional(
      Type.Object(
        { message: Type.Integer(), start: Type.Integer(), end: Type.Integer() },
        { description: 'The message, from 0, and the part of its content that the file gave' },
      ),
    ),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'What it was rendered with; of a data block the words that stand for it',
      }),
    ),
  },
  { title: 'SentPrompt' },
);

const RunCall = Type.Object(
  {
    ...endedFields,
    agent: Nullable('Null: the runtime itself asked, for a summary or follow-up questions'),
    step: Nullable("The step of the agent's work"),
    messages: Type.Array(SentMessage),
    ...askedFields,
    prompts: Type.Array(SentPrompt, { description: 'The prompt files whose text is in the messages' }),
    whole: Type.Boolean({
      description:
        'False: part of the request is missing here, such as a picture, the end of a long text, or tools in the format of another provider',
    }),
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

function toRunCall({ call, by: { agent, step, prompts }, isWhole }: KeptCall): Static<typeof RunCall> {
  return {
    ...{ agent, step },
    ...toEndedFields(call),
    messages: call.messages.map(toWireMessage),
    ...toAskedFields(call.asked),
    prompts: prompts.map(toSentPrompt),
    whole: isWhole,
  };
}

function toSentPrompt({ place, variables, ...used }: KeptPrompt): Static<typeof SentPrompt> {
  return { ...used, ...(place && { place }), ...(variables && { variables }) };
}
