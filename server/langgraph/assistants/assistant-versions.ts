/** Routes for the versions of an assistant: list them, and set the current one. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../../authentication/identity.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { Assistant, assistantBody, Latest, Version, Versions, versionBody } from './assistant-shape.ts';

const params = Type.Object({ assistant_id: Type.String() });
const responses = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND'] as const),
  'PAYLOAD_TOO_LARGE',
);

export const assistantVersionRoutes = ({ assistants }: Services) =>
  new Elysia({ prefix: '/assistants', name: 'langgraph-assistant-versions' })
    .post(
      '/:assistant_id/versions',
      async ({ params: { assistant_id }, body, request }) => {
        const { metadata, limit = 10, offset = 0 } = body;
        const page = { metadata: metadata ?? undefined, limit, offset };
        const versions = await assistants.versions(ownerOf(request), assistant_id, page);
        return versions.map(versionBody);
      },
      {
        ...{ parse: 'json', params, body: Versions, response: { 200: Type.Array(Version) } },
        detail: {
          summary: 'List the versions of an assistant, newest first',
          tags: ['langgraph'],
          responses,
        },
      },
    )
    .post(
      '/:assistant_id/latest',
      async ({ params: { assistant_id }, body, request }) =>
        assistantBody(await assistants.setVersion(ownerOf(request), assistant_id, body.version)),
      {
        ...{ parse: 'json', params, body: Latest, response: { 200: Assistant } },
        detail: { summary: 'Set the current version of an assistant', tags: ['langgraph'], responses },
      },
    );
