/** POST routes of /prompts: update, restore and render. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { withPointers } from '../../tools/text/block.ts';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { keepUndecoded, nameOf, PromptParams } from './params.ts';
import { PromptText, Updated } from './shape.ts';

const tags = ['prompts'];
const READING = ['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const;
const STORING = ['PROMPT_INVALID', 'PROMPT_CONFLICT', 'PROMPT_STORAGE_FAILED', 'OVERLOADED'] as const;
const WRITING = [...READING, ...STORING] as const;

const IfMatch = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'The ETag of `view`. The response is 412 if the file has changed since' }),
  ),
});

export const promptUpdateRoutes = ({ promptEditor, log }: Pick<Services, 'promptEditor' | 'log'>) => {
  const logged = (action: string, revision_id: string, filename: string, version: number, author: string) => {
    log.info({ audit: `prompt ${action}`, revision_id, filename, version, author }, `prompt ${action}`);
    const message = `Prompt file '${filename}' of revision '${revision_id}' ${action} as version ${version}.`;
    return { message, filename, revision_id, version };
  };
  return new Elysia({ prefix: '/api/v1/prompts', name: 'prompt-updates' })
    .onTransform(keepUndecoded)
    .post(
      '/update/:revision_id/:filename',
      async ({ params, body, headers, request }) => {
        const author = ownerOf(request);
        const change = { author, ifMatch: headers['if-match'] };
        const { version } = await promptEditor.update(nameOf(params), body.content, change);
        return logged('updated', params.revision_id, params.filename, version, author);
      },
      {
        parse: 'json',
        params: PromptParams,
        headers: IfMatch,
        body: Type.Object({ content: PromptText }, { title: 'PromptUpdate', additionalProperties: true }),
        response: { 200: Updated },
        detail: {
          summary: 'Save a prompt file, effective with the next model call',
          tags,
          responses: errorResponses(...WRITING),
        },
      },
    )
    .post(
      '/restore/:revision_id/:filename',
      async ({ params, body, headers, request }) => {
        const author = ownerOf(request);
        const change = { author, ifMatch: headers['if-match'] };
        const { version } = await promptEditor.restore(nameOf(params), body.version, change);
        return logged('restored', params.revision_id, params.filename, version, author);
      },
      {
        parse: 'json',
        params: PromptParams,
        headers: IfMatch,
        body: Type.Object(
          {
            version: Type.Integer({
              minimum: 0,
              description: 'The version to restore. 0 is the shipped file',
            }),
          },
          { title: 'PromptRestore', additionalProperties: true },
        ),
        response: { 200: Updated },
        detail: {
          summary: 'Restore an earlier version as the newest one',
          tags,
          responses: errorResponses(...WRITING, 'PROMPT_NOT_FOUND'),
        },
      },
    )
    .post(
      '/render/:revision_id/:filename',
      async ({ params, body }) => ({
        text: await promptEditor.preview(nameOf(params), withPointers(body.variables), body.content),
      }),
      {
        parse: 'json',
        params: PromptParams,
        body: Type.Object(
          {
            variables: Type.Record(Type.String(), Type.Unknown(), {
              description: 'The variables of the template',
            }),
            content: Type.Optional(Type.String({ description: 'A text to render instead of the saved one' })),
          },
          { title: 'PromptRender', additionalProperties: true },
        ),
        response: { 200: Type.Object({ text: Type.String({ description: 'The rendered text' }) }) },
        detail: {
          summary: 'Render a prompt file with these variables, without saving anything',
          tags,
          responses: errorResponses(
            ...READING,
            'PROMPT_INVALID',
            'PROMPT_NOT_FOUND',
            'PROMPT_STORAGE_FAILED',
            'OVERLOADED',
          ),
        },
      },
    );
};
