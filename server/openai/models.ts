/** GET /v1/models and GET /v1/models/{model}: the runnable workflows as models. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { RegisteredWorkflow } from '../../runtime/workflows/registered.ts';
import type { Registry } from '../../runtime/workflows/registry.ts';
import type { Services } from '../services.ts';
import { findRunnable } from '../workflows/find-runnable.ts';
import { openAIErrors } from './errors.ts';

const Model = Type.Object(
  {
    id: Type.String({ description: 'The name of the workflow' }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'When the service started, in seconds since 1970' }),
    owned_by: Type.String(),
  },
  { title: 'OpenAIModel' },
);

const ModelList = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(Model) },
  { title: 'OpenAIModelList' },
);

export const modelRoutes = ({ registry, startedAt }: Services) =>
  new Elysia({ prefix: '/v1/models', name: 'openai-models' })
    .get(
      '',
      () => ({
        object: 'list' as const,
        data: registry.workflows.filter(({ graph }) => graph).map((workflow) => modelOf(workflow, startedAt)),
      }),
      {
        response: { 200: ModelList },
        detail: { summary: 'List the workflows as models', tags: ['openai'] },
      },
    )
    .get('/:model', ({ params: { model } }) => modelOf(findModel(registry, model), startedAt), {
      params: Type.Object({ model: Type.String() }),
      response: { 200: Model },
      detail: {
        summary: 'Get a workflow as a model',
        tags: ['openai'],
        responses: openAIErrors('WORKFLOW_NOT_FOUND', 'CONFIGURATION_ERROR'),
      },
    });

/** Throws WORKFLOW_NOT_FOUND, or CONFIGURATION_ERROR if the workflow lacks settings that it requires. */
export const findModel = (registry: Registry, name: string) => findRunnable(registry, name, 'model');

function modelOf({ name, source }: RegisteredWorkflow, startedAt: number) {
  return {
    id: name,
    object: 'model' as const,
    created: Math.floor(startedAt / 1000),
    owned_by: source,
  };
}
