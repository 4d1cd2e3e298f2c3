/** POST /prompts/dry-run: repeats the caller's last turns with a new prompt text, to compare the answers with the stored ones. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { AnsweredTurn } from '../../runtime/dry-runs/rerun-turn.ts';
import { ownerOf } from '../authentication/identity.ts';
import { requestContext } from '../chat/reply.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { keepUndecoded, nameOf, PromptParams } from './params.ts';
import { DryRun, PromptText } from './shape.ts';

export const promptDryRunRoutes = ({ promptEditor, runtime }: Pick<Services, 'promptEditor' | 'runtime'>) =>
  new Elysia({ prefix: '/api/v1/prompts', name: 'prompt-dry-run' }).onTransform(keepUndecoded).post(
    '/dry-run/:revision_id/:filename',
    async ({ params, body, request, set }) => {
      const name = nameOf(params);
      await promptEditor.checkTrial(name, body.content);
      const { content, turns } = body;
      const { signal } = request;
      const answered = await runtime.dryRun({
        owner: ownerOf(request),
        ...{ name, content, turns, signal, ...requestContext(set) },
      });
      return { workflow_turns: answered.map(toTurnBody) };
    },
    {
      parse: 'json',
      params: PromptParams,
      body: Type.Object(
        {
          content: PromptText,
          turns: Type.Integer({
            minimum: 1,
            maximum: 20,
            description: 'How many turns to repeat, newest first',
          }),
        },
        { title: 'PromptDryRun', additionalProperties: true },
      ),
      response: { 200: DryRun },
      detail: {
        summary: 'Repeat your last turns with this text, without saving anything',
        tags: ['prompts'],
        responses: errorResponses(
          ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const),
          ...(['PROMPT_INVALID', 'PROMPT_NOT_FOUND', 'PROMPT_STORAGE_FAILED', 'RUN_CANCELLED'] as const),
          ...(['RUN_TIMEOUT', 'BUDGET_EXCEEDED', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
        ),
      },
    },
  );

function toTurnBody({ error, ...turn }: AnsweredTurn) {
  return {
    message_id: turn.messageId,
    workflow: turn.workflow,
    user_prompt: turn.userPrompt,
    before: turn.before,
    after: turn.after,
    token_count: turn.tokenCount,
    interrupt: turn.interrupt,
    error: error && {
      error_code: error.code,
      message: error.message,
      ...(error.detail !== undefined && { detail: error.detail }),
    },
  };
}
