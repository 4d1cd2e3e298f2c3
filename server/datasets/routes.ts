/** Routes for datasets: list and read them, and add, change and remove cases. */
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import {
  CaseBody,
  CaseEntry,
  caseIn,
  caseParams,
  DatasetBody,
  DatasetList,
  datasetParams,
  toCaseEntry,
  toDatasetBody,
  toResultHead,
} from './shape.ts';

const tags = ['datasets'];
const READING = ['INVALID_REQUEST', 'UNAUTHORIZED', 'CONFIGURATION_ERROR'] as const;
const WRITING = [...READING, 'INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'OVERLOADED', 'STORAGE_FULL'] as const;

export const datasetRoutes = ({
  datasets,
  datasetResults,
  log,
}: Pick<Services, 'datasets' | 'datasetResults' | 'log'>) => {
  const audit = (action: string, request: Request, dataset: string, case_id: string) =>
    log.info({ audit: `case ${action}`, dataset, case_id, author: ownerOf(request) }, `case ${action}`);
  return new Elysia({ prefix: '/api/v1', name: 'datasets' })
    .get(
      '/datasets',
      async () => {
        const heads = (await datasets.list()).map(async ({ name, cases, problems, updatedAt }) => {
          const last = await datasetResults.newest(name);
          return {
            ...{ dataset: name, cases: cases.length, problems: problems.length },
            updated_at: updatedAt.toISOString(),
            last_result: last ? toResultHead(last) : null,
          };
        });
        return { datasets: await Promise.all(heads) };
      },
      {
        response: { 200: DatasetList },
        detail: {
          summary: "List the project's datasets with the newest result of each",
          tags,
          responses: errorResponses('UNAUTHORIZED', 'CONFIGURATION_ERROR'),
        },
      },
    )
    .get('/datasets/:dataset', async ({ params }) => toDatasetBody(await datasets.read(params.dataset)), {
      params: datasetParams,
      response: { 200: DatasetBody },
      detail: {
        summary: "Get a dataset's cases",
        tags,
        responses: errorResponses(...READING, 'NOT_FOUND'),
      },
    })
    .post(
      '/datasets/:dataset/cases',
      async ({ params: { dataset }, body, request, status }) => {
        const added = await datasets.add(dataset, caseIn(body));
        audit('added', request, dataset, added.caseId);
        return status(201, toCaseEntry(added));
      },
      {
        parse: 'json',
        params: datasetParams,
        body: CaseBody,
        response: { 201: CaseEntry },
        detail: {
          summary: 'Append a case to a dataset, which is created if it does not exist',
          tags,
          responses: errorResponses(...WRITING),
        },
      },
    )
    .put(
      '/datasets/:dataset/cases/:case_id',
      async ({ params: { dataset, case_id }, body, request }) => {
        const changed = await datasets.update(dataset, case_id, caseIn(body));
        audit('changed', request, dataset, changed.caseId);
        return toCaseEntry(changed);
      },
      {
        parse: 'json',
        params: caseParams,
        body: CaseBody,
        response: { 200: CaseEntry },
        detail: {
          summary: 'Replace a case; 404 if it was changed in the meantime',
          tags,
          responses: errorResponses(...WRITING, 'NOT_FOUND'),
        },
      },
    )
    .delete(
      '/datasets/:dataset/cases/:case_id',
      async ({ params: { dataset, case_id }, request, set }) => {
        await datasets.remove(dataset, case_id);
        audit('removed', request, dataset, case_id);
        set.status = 204;
      },
      {
        params: caseParams,
        detail: {
          summary: 'Remove a case; the last one removes the dataset too',
          tags,
          responses: {
            204: { description: 'Removed' },
            ...errorResponses(...READING, 'NOT_FOUND', 'OVERLOADED', 'STORAGE_FULL'),
          },
        },
      },
    );
};
