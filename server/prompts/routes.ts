/** GET routes of /prompts: revisions, list, view and history. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { isKnown } from '../http/headers/if-none-match.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { keepUndecoded, nameOf, PromptParams, RevisionParams } from './params.ts';
import { History, Revisions } from './shape.ts';

const errors = errorResponses('UNAUTHORIZED', 'PROMPT_NOT_FOUND', 'PROMPT_STORAGE_FAILED');
const tags = ['prompts'];

const ViewQuery = Type.Object({
  version: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,9}$',
      description: 'A version of the history (default: the newest)',
      error: 'expected the number of a version',
    }),
  ),
});

export const promptRoutes = ({ promptFiles }: Pick<Services, 'promptFiles'>) =>
  new Elysia({ prefix: '/api/v1/prompts', name: 'prompts' })
    .onTransform(keepUndecoded)
    .get('/revisions', async () => ({ revisions: await promptFiles.revisions() }), {
      response: { 200: Revisions },
      detail: { summary: 'List the revisions', tags, responses: errors },
    })
    .get('/list/:revision_id', ({ params }) => promptFiles.list(params.revision_id), {
      params: RevisionParams,
      response: { 200: Type.Array(Type.String()) },
      detail: { summary: "List a revision's prompt files by name", tags, responses: errors },
    })
    .get(
      '/view/:revision_id/:filename',
      async ({ params, query: { version }, request, set }) => {
        const { bytes, etag } = await promptFiles.read(nameOf(params), numberOf(version));
        set.headers.etag = etag;
        if (isKnown(request, etag)) return new Response(null, { status: 304 });
        set.headers['content-type'] = 'text/plain; charset=utf-8';
        // The cast excludes SharedArrayBuffer, which a file's bytes never use.
        return new Response(bytes as Uint8Array<ArrayBuffer>);
      },
      {
        params: PromptParams,
        query: ViewQuery,
        detail: {
          summary: "Get a prompt file's text, unrendered",
          tags,
          responses: { 200: TEXT, 304: NOT_MODIFIED, ...errors, ...errorResponses('INVALID_REQUEST') },
        },
      },
    )
    .get(
      '/history/:revision_id/:filename',
      async ({ params }) => ({ versions: await promptFiles.history(nameOf(params)) }),
      {
        params: PromptParams,
        response: { 200: History },
        detail: { summary: 'List the stored versions of a prompt file', tags, responses: errors },
      },
    );

const TEXT = {
  description: 'The exact bytes of the file. The ETag identifies the version',
  content: { 'text/plain': { schema: { type: 'string' as const } } },
};

const NOT_MODIFIED = { description: 'Not modified since the ETag of If-None-Match' };

function numberOf(version: string | undefined): number | undefined {
  return version === undefined ? undefined : Number(version);
}
