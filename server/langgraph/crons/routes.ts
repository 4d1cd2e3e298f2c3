/** Routes for crons in LangGraph's protocol. A cron uses one thread for all its runs, or a new thread for each run. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import type { Cron as StoredCron } from '../../../state/resources/crons.ts';
import { callerOf, ownerOf } from '../../authentication/identity.ts';
import type { Services } from '../../services.ts';
import { checkWebhook } from '../../webhooks/destination.ts';
import { findAssistant } from '../assistants/find-assistant.ts';
import { textErrors } from '../errors.ts';
import { countResponse, pageHeaders, selectFields } from '../pagination.ts';
import { findThread } from '../threads/find-thread.ts';
import {
  Cron,
  CronCount,
  CronCreate,
  CronPatch,
  CronQuery,
  changedContent,
  cronBody,
  newContent,
  searchOf,
} from './cron-shape.ts';
import { checkTimes, nextTime } from './schedule.ts';

const BODY_CODES = ['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const;
const SEARCH_ERRORS = textErrors(...BODY_CODES);
const CREATE_ERRORS = textErrors(
  ...BODY_CODES,
  'WORKFLOW_NOT_FOUND',
  'THREAD_NOT_FOUND',
  'CONFIGURATION_ERROR',
);
const CHANGE_ERRORS = textErrors(...BODY_CODES, 'CRON_NOT_FOUND');
const READ_ERRORS = textErrors('UNAUTHORIZED', 'INVALID_REQUEST', 'CRON_NOT_FOUND');
const detail = (summary: string, responses: ReturnType<typeof textErrors>) => ({
  ...{ summary, tags: ['langgraph'], responses },
});
const params = Type.Object({ cron_id: Type.String() });

export const cronRoutes = (services: Services) =>
  new Elysia({ name: 'langgraph-crons' })
    .post(
      '/threads/:thread_id/runs/crons',
      async ({ params: { thread_id }, body, request }) =>
        cronBody(await createCron(services, request, body, thread_id)),
      {
        ...{ parse: 'json', params: Type.Object({ thread_id: Type.String() }), body: CronCreate },
        ...{
          response: { 200: Cron },
          detail: detail('Create a cron that starts runs on a thread', CREATE_ERRORS),
        },
      },
    )
    .post('/runs/crons', async ({ body, request }) => cronBody(await createCron(services, request, body)), {
      ...{ parse: 'json', body: CronCreate, response: { 200: Cron } },
      detail: detail('Create a cron that starts each run on a new thread', CREATE_ERRORS),
    })
    .post(
      '/runs/crons/search',
      async ({ body, request, set }) => {
        const { items, total } = await searchCrons(services, request, body);
        pageHeaders(set, total, body);
        return items.map((cron) => selectFields(cronBody(cron), body.select ?? undefined));
      },
      {
        ...{ parse: 'json', body: CronQuery, response: { 200: Type.Array(Type.Partial(Cron)) } },
        detail: detail('Search crons', SEARCH_ERRORS),
      },
    )
    .post(
      '/runs/crons/count',
      async ({ body, request }) =>
        countResponse((await searchCrons(services, request, { ...body, limit: 1 })).total),
      {
        ...{ parse: 'json', body: CronCount, response: { 200: Type.Integer() } },
        detail: detail('Count crons', SEARCH_ERRORS),
      },
    )
    .patch(
      '/runs/crons/:cron_id',
      async ({ params: { cron_id }, body, request }) =>
        cronBody(await changeCron(services, ownerOf(request), cron_id, body)),
      {
        ...{ parse: 'json', params, body: CronPatch, response: { 200: Cron } },
        detail: detail('Change a cron', CHANGE_ERRORS),
      },
    )
    .delete(
      '/runs/crons/:cron_id',
      async ({ params: { cron_id }, request, set }) => {
        if (!(await services.crons.remove(ownerOf(request), cron_id))) throw cronNotFound();
        set.status = 204;
      },
      {
        ...{
          params,
          response: { 204: Type.Void({ description: 'The cron is deleted and starts no more runs' }) },
        },
        detail: detail('Delete a cron', READ_ERRORS),
      },
    );

const KEEPS_THREAD = 'on_run_completed: must be "keep", because all runs of this cron use the same thread';

async function createCron(
  services: Services,
  request: Request,
  body: CronCreate,
  threadId?: string,
): Promise<StoredCron> {
  const { owner, name } = callerOf(request);
  const thread = threadId === undefined ? null : await findThread(services.archive, request, threadId);
  const { assistantId } = await findAssistant(services, request, body.assistant_id);
  if (thread && body.on_run_completed === 'delete')
    throw new SkeinError('INVALID_REQUEST', { detail: KEEPS_THREAD });
  const content = scheduled(services, newContent(body), body);
  return services.crons.create({
    ...content,
    ...{ cronId: Bun.randomUUIDv7(), owner, ownerName: name, assistantId, createdAt: Date.now() },
    ...{ thread, onRunCompleted: thread ? 'keep' : content.onRunCompleted },
  });
}

async function changeCron(
  services: Services,
  owner: string,
  cronId: string,
  body: CronPatch,
): Promise<StoredCron> {
  const before = await services.crons.find(owner, cronId);
  if (!before) throw cronNotFound();
  if (before.threadId !== null && body.on_run_completed === 'delete')
    throw new SkeinError('INVALID_REQUEST', { detail: KEEPS_THREAD });
  const content = scheduled(services, changedContent(before, body), body);
  const at = Date.now();
  if (!(await services.crons.change(owner, cronId, content, at))) throw cronNotFound();
  return { ...before, ...content, updatedAt: at };
}

/** Returns the content with `nextAt`. Throws INVALID_REQUEST for an invalid schedule or webhook. */
function scheduled<Content extends ReturnType<typeof newContent>>(
  { webhooks }: Services,
  content: Content,
  { webhook }: CronPatch,
): Content {
  if (typeof webhook === 'string') checkWebhook(webhook, webhooks);
  const now = Date.now();
  checkTimes(content, now);
  return { ...content, nextAt: nextTime(content, now) };
}

async function searchCrons(services: Services, request: Request, body: CronQuery) {
  const owner = ownerOf(request);
  const idOrGraph = body.assistant_id ?? undefined;
  const assistant = idOrGraph === undefined ? undefined : await services.assistants.find(owner, idOrGraph);
  return services.crons.search(searchOf(owner, body, assistant?.assistantId ?? idOrGraph));
}

function cronNotFound(): SkeinError {
  return new SkeinError('CRON_NOT_FOUND', { detail: 'Cron not found' });
}
