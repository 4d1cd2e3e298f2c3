/** Crons over LangGraph's protocol: made for a thread, or with a thread of its own for each run. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Cron as StoredCron } from '../../../state/crons.ts';
import { SkeinError } from '../../../state/errors.ts';
import { callerOf, ownerOf } from '../../authentication/identity.ts';
import type { Services } from '../../services.ts';
import { checkWebhook } from '../../webhooks/destination.ts';
import { findAssistant } from '../assistants/find-assistant.ts';
import { textErrors } from '../errors.ts';
import { pageHeaders, selected } from '../pages.ts';
import { foundThread } from '../threads/find-thread.ts';
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

const BODY = ['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const;
const SEARCHED = textErrors(...BODY);
const MADE = textErrors(...BODY, 'WORKFLOW_NOT_FOUND', 'THREAD_NOT_FOUND', 'CONFIGURATION_ERROR');
const CHANGED = textErrors(...BODY, 'CRON_NOT_FOUND');
const FOUND = textErrors('UNAUTHORIZED', 'INVALID_REQUEST', 'CRON_NOT_FOUND');
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
        ...{ response: { 200: Cron }, detail: detail('Start runs on a thread by a schedule', MADE) },
      },
    )
    .post('/runs/crons', async ({ body, request }) => cronBody(await createCron(services, request, body)), {
      ...{ parse: 'json', body: CronCreate, response: { 200: Cron } },
      detail: detail('Start runs by a schedule, each on a thread of its own', MADE),
    })
    .post(
      '/runs/crons/search',
      async ({ body, request, set }) => {
        const { items, total } = await found(services, request, body);
        pageHeaders(set, total, body);
        return items.map((one) => selected(cronBody(one), body.select ?? undefined));
      },
      {
        ...{ parse: 'json', body: CronQuery, response: { 200: Type.Array(Type.Partial(Cron)) } },
        detail: detail('Find crons', SEARCHED),
      },
    )
    .post(
      '/runs/crons/count',
      async ({ body, request }) => (await found(services, request, { ...body, limit: 1 })).total,
      {
        ...{ parse: 'json', body: CronCount, response: { 200: Type.Integer() } },
        detail: detail('Count crons', SEARCHED),
      },
    )
    .patch(
      '/runs/crons/:cron_id',
      async ({ params: { cron_id }, body, request }) =>
        cronBody(await changeCron(services, ownerOf(request), cron_id, body)),
      {
        ...{ parse: 'json', params, body: CronPatch, response: { 200: Cron } },
        detail: detail('Change a cron', CHANGED),
      },
    )
    .delete(
      '/runs/crons/:cron_id',
      async ({ params: { cron_id }, request, set }) => {
        if (!(await services.crons.remove(ownerOf(request), cron_id))) throw notFound();
        set.status = 204;
      },
      {
        ...{ params, response: { 204: Type.Void({ description: 'It starts no more runs' }) } },
        detail: detail('Delete a cron', FOUND),
      },
    );

async function createCron(
  services: Services,
  request: Request,
  body: CronCreate,
  threadId?: string,
): Promise<StoredCron> {
  const { owner, name } = callerOf(request);
  const thread = threadId === undefined ? null : await foundThread(services.archive, request, threadId);
  const { assistantId } = await findAssistant(services, request, body.assistant_id);
  if (thread && body.on_run_completed === 'delete')
    throw new SkeinError('INVALID_REQUEST', { detail: "on_run_completed: a cron's own thread is kept" });
  const content = checked(services, newContent(body), body);
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
  if (!before) throw notFound();
  if (before.threadId !== null && body.on_run_completed === 'delete')
    throw new SkeinError('INVALID_REQUEST', { detail: "on_run_completed: a cron's own thread is kept" });
  const content = checked(services, changedContent(before, body), body);
  const at = Date.now();
  if (!(await services.crons.change(owner, cronId, content, at))) throw notFound();
  return { ...before, ...content, updatedAt: at };
}

/** With its next time. */
function checked<Content extends ReturnType<typeof newContent>>(
  { webhooks }: Services,
  content: Content,
  { webhook }: CronPatch,
): Content {
  if (typeof webhook === 'string') checkWebhook(webhook, webhooks);
  const now = Date.now();
  checkTimes(content, now);
  return { ...content, nextAt: nextTime(content, now) };
}

async function found(services: Services, request: Request, body: CronQuery) {
  const owner = ownerOf(request);
  const named = body.assistant_id ?? undefined;
  // By the name of its graph, too.
  const assistant = named === undefined ? undefined : await services.assistants.find(owner, named);
  return services.crons.search(searchOf(owner, body, assistant?.assistantId ?? named));
}

function notFound(): SkeinError {
  return new SkeinError('CRON_NOT_FOUND', { detail: 'Cron not found' });
}
