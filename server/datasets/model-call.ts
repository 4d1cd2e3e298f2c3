/** POST /model-calls: sends a dataset's model call and returns the result in the form that expectations judge. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { callCaseFields } from '../../runtime/datasets/case-call.ts';
import { PromptVersion } from '../../runtime/datasets/results.ts';
import { ownerOf } from '../authentication/identity.ts';
import { requestContext } from '../chat/reply.ts';
import type { Connections } from '../connection.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';

const ModelCallBody = Type.Object(
  {
    workflow: Type.String({
      ...{ minLength: 1, maxLength: 200 },
      description: 'The workflow whose budgets and usage include the call. It is not run',
    }),
    ...callCaseFields,
  },
  { title: 'ModelCallRequest', additionalProperties: true },
);

const ModelCallAnswer = Type.Object(
  {
    agent_response: Type.String({ description: 'The text, with tool calls as text' }),
    outputs: Type.Array(
      Type.Object({
        agent: Type.String({ description: 'Always model' }),
        content: Type.String({ description: 'The text, with tool calls as text' }),
        data: Type.Unknown({ description: 'The parsed text if it is JSON, otherwise null' }),
      }),
      { description: 'The response in the form of an agent' },
    ),
    tool_calls: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The name of the tool' }),
        arguments: Type.Unknown({ description: 'The parsed arguments, or their text if it is not JSON' }),
      }),
      { description: "The model's tool calls, which are not executed" },
    ),
    token_count: Type.Integer({ description: 'Input and output tokens of the call' }),
    model: Type.String({ description: 'The model that answered' }),
    prompts: Type.Array(PromptVersion, { description: 'The prompt files that were rendered' }),
  },
  { title: 'ModelCallAnswer' },
);

export const modelCallRoutes = ({
  askCall,
  registry,
  countChat,
}: Pick<Services, 'askCall' | 'registry'> & Pick<Connections, 'countChat'>) =>
  new Elysia({ prefix: '/api/v1', name: 'model-calls' }).post(
    '/model-calls',
    async ({ body: { workflow, ...call }, request, set }) => {
      const { name } = registry.runnable(workflow);
      await countChat(request);
      const { traceparent } = requestContext(set);
      const { signal } = request;
      return askCall({ owner: ownerOf(request), workflow: name, call, signal, traceparent });
    },
    {
      parse: 'json',
      body: ModelCallBody,
      response: { 200: ModelCallAnswer },
      detail: {
        summary: "Send a dataset's model call, without executing tools or saving anything",
        description: "It counts as a chat in the rate limit, and towards the workflow's budgets and usage.",
        tags: ['datasets'],
        responses: errorResponses(
          ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_TYPE', 'UNAUTHORIZED'] as const),
          ...(['PAYLOAD_TOO_LARGE', 'PROMPT_INVALID', 'PROMPT_NOT_FOUND', 'RATE_LIMITED'] as const),
          ...(['RUN_CANCELLED', 'RUN_TIMEOUT', 'BUDGET_EXCEEDED', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
          ...(['MODEL_CALL_FAILED'] as const),
        ),
      },
    },
  );
