/** POST under /prompts: update, restore, render. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { withPointers } from '../../tools/text/block.ts';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/error-schema.ts';
import type { Services } from '../services.ts';
import { keepUndecoded, nameOf, PromptParams } from './params.ts';
import { PromptText, Updated } from './shape.ts';

const tags = ['prompts'];
const READING = ['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const;
const STORING = ['PROMPT_INVALID', 'PROMPT_CONFLICT', 'PROMPT_STORAGE_FAILED', 'OVERLOADED'] as const;
const WRITING = [...READING, ...STORING] as const;

const IfMatch = Type.Object({
  'if-match': Type.Optional(Type.String({ description: 'The ETag that view gave: a lost race answers 412' })),
});

export const promptUpdateRoutes = ({ promptEditor, log }: Pick<Services, 'promptEditor' | 'log'>) => {
  const noted = (done: string, revision_id: string, filename: string, version: number, author: string) => {
    log.info({ audit: `prompt ${done}`, revision_id, filename, version, author }, `prompt ${done}`);
    const message = `Prompt file '${filename}' of revision '${revision_id}' ${done} as version ${version}.`;
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
        return noted('updated', params.revision_id, params.filename, version, author);
      },
      {
        parse: 'json',
        params: PromptParams,
        headers: IfMatch,
        body: Type.Object({ content: PromptText }, { title: 'PromptUpdate', additionalProperties: true }),
        response: { 200: Updated },
        detail: {
          summary: 'Save a prompt file; it is used by the next model call',
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
        return noted('restored', params.revision_id, params.filename, version, author);
      },
      {
        parse: 'json',
        params: PromptParams,
        headers: IfMatch,
        body: Type.Object(
          { version: Type.Integer({ minimum: 0 }) },
          { title: 'PromptRestore', additionalProperties: true },
        ),
        response: { 200: Updated },
        detail: {
          summary: 'Make an earlier version the newest again',
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
            variables: Type.Record(Type.String(), Type.Unknown()),
            content: Type.Optional(Type.String({ description: 'In place of what is saved' })),
          },
          { title: 'PromptRender', additionalProperties: true },
        ),
        response: { 200: Type.Object({ text: Type.String() }) },
        detail: {
          summary: 'What a prompt file gives with these variables; nothing is saved',
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
