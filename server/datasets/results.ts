/** Routes for runs of datasets: start a run, and list, read and delete results. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { Result } from '../../runtime/datasets/results.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import { requestContext } from '../chat/reply.ts';
import type { Connections } from '../connection.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { datasetParams, ResultHead, resultParams, toResultHead } from './shape.ts';

const tags = ['datasets'];
const READING = ['INVALID_REQUEST', 'UNAUTHORIZED', 'CONFIGURATION_ERROR', 'NOT_FOUND'] as const;

export const datasetResultRoutes = ({
  datasetResults,
  datasetRuns,
  countChat,
  log,
}: Pick<Services, 'datasetResults' | 'datasetRuns' | 'log'> & Pick<Connections, 'countChat'>) =>
  new Elysia({ prefix: '/api/v1', name: 'dataset-results' })
    .post(
      '/datasets/:dataset/results',
      async ({ params: { dataset }, body: { workflow }, request, set, status }) => {
        const owner = ownerOf(request);
        const countTurn = () => countChat(request);
        const result = await datasetRuns.start({
          dataset,
          workflow,
          owner,
          countTurn,
          ...requestContext(set),
        });
        log.info({ audit: 'dataset run', dataset, workflow, author: owner }, 'dataset run');
        return status(202, toResultHead(result));
      },
      {
        parse: 'json',
        params: datasetParams,
        body: Type.Object(
          { workflow: Type.String({ minLength: 1, maxLength: 200, description: 'The name of a workflow' }) },
          { title: 'DatasetRun', additionalProperties: true },
        ),
        response: { 202: ResultHead },
        detail: {
          summary: 'Run a workflow on all cases in the background; each case is an ordinary run of yours',
          tags,
          responses: errorResponses(
            ...READING,
            ...(['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'INVALID_WORKFLOW_TYPE', 'OVERLOADED'] as const),
            ...(['SHUTTING_DOWN', 'STORAGE_FULL'] as const),
          ),
        },
      },
    )
    .get(
      '/datasets/:dataset/results',
      async ({ params: { dataset } }) => ({
        results: (await datasetResults.list(dataset)).map(toResultHead),
      }),
      {
        params: datasetParams,
        response: { 200: Type.Object({ results: Type.Array(ResultHead, { description: 'Newest first' }) }) },
        detail: {
          summary: 'List the last 20 results of a dataset, without their cases',
          tags,
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'CONFIGURATION_ERROR'),
        },
      },
    )
    .get(
      '/datasets/:dataset/results/:result_id',
      async ({ params: { dataset, result_id } }) => {
        const found = await datasetResults.find(dataset, result_id);
        if (!found) throw noResult();
        return found;
      },
      {
        params: resultParams,
        response: { 200: Result },
        detail: {
          summary: 'Get a result with the answers to all cases',
          tags,
          responses: errorResponses(...READING),
        },
      },
    )
    .delete(
      '/datasets/:dataset/results/:result_id',
      async ({ params: { dataset, result_id }, request, set }) => {
        if (!(await datasetResults.remove(dataset, result_id))) throw noResult();
        log.info({ audit: 'result deleted', dataset, result_id, author: ownerOf(request) }, 'result deleted');
        set.status = 204;
      },
      {
        params: resultParams,
        detail: {
          summary: 'Delete a result; if it is still running, it stops',
          tags,
          responses: { 204: { description: 'Deleted' }, ...errorResponses(...READING) },
        },
      },
    );

function noResult(): SkeinError {
  return new SkeinError('NOT_FOUND', { message: 'Result not found' });
}
