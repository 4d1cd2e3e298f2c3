/** Schemas of crons in LangGraph's API, and their conversion to and from stored crons. */
import { type Static, Type } from '@sinclair/typebox';
import { SkeinError } from '../../../state/errors.ts';
import type { CronContent, CronSearch, Cron as StoredCron } from '../../../state/resources/crons.ts';
import { JsonObject } from '../json-object.ts';
import { RunCreate } from '../runs/run-create.ts';

const Time = Type.String({ format: 'date-time' });
const OrNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const optional = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Optional(OrNull(schema));

export const Cron = Type.Object(
  {
    cron_id: Type.String(),
    assistant_id: Type.String(),
    thread_id: OrNull(Type.String()),
    schedule: Type.String(),
    timezone: OrNull(Type.String()),
    enabled: Type.Boolean(),
    end_time: OrNull(Time),
    on_run_completed: Type.String(),
    next_run_date: OrNull(Time),
    payload: JsonObject,
    user_id: OrNull(Type.String()),
    metadata: JsonObject,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'LangGraphCron' },
);
export type Cron = Static<typeof Cron>;

const Schedule = Type.String({
  maxLength: 200,
  description: 'Minute, hour, day of the month, month, day of the week',
});
const { assistant_id, ...runFields } = RunCreate.properties;
const content = {
  ...runFields,
  timezone: optional(Type.String({ maxLength: 100, description: 'An IANA time zone; UTC if missing' })),
  enabled: optional(Type.Boolean()),
  end_time: optional(Type.String({ maxLength: 100, description: 'ISO 8601; in UTC if it has no time zone' })),
  on_run_completed: optional(Type.Union([Type.Literal('delete'), Type.Literal('keep')])),
};

export const CronCreate = Type.Object(
  { assistant_id, schedule: Schedule, ...content },
  { title: 'LangGraphCronCreate', additionalProperties: true },
);
export type CronCreate = Static<typeof CronCreate>;

export const CronPatch = Type.Object(
  { schedule: optional(Schedule), ...content },
  { title: 'LangGraphCronPatch', additionalProperties: true },
);
export type CronPatch = Static<typeof CronPatch>;

const SORTS = [
  ...(['cron_id', 'assistant_id', 'thread_id', 'created_at', 'updated_at'] as const),
  ...(['next_run_date', 'end_time'] as const),
];

const filter = {
  assistant_id: optional(Type.String()),
  thread_id: optional(Type.String()),
  enabled: optional(Type.Boolean()),
  metadata: optional(JsonObject),
};

export const CronCount = Type.Object(filter, { title: 'LangGraphCronCount', additionalProperties: true });

export const CronQuery = Type.Object(
  {
    ...filter,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
    sort_by: optional(Type.Union(SORTS.map((name) => Type.Literal(name)))),
    sort_order: optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    select: optional(Type.Array(Type.String())),
  },
  { title: 'LangGraphCronSearch', additionalProperties: true },
);
export type CronQuery = Static<typeof CronQuery>;

/** Fields that aren't part of the payload: they have columns, or only matter if a client waits for the run. */
const NOT_IN_PAYLOAD = ['assistant_id', 'on_completion', 'on_disconnect', 'if_not_exists', 'metadata'];
/** Fields of the cron, not of its runs. */
const CRON_FIELDS = ['schedule', 'timezone', 'enabled', 'end_time', 'on_run_completed'];

/**
 * Applies a change: a missing field is kept, null removes it, and metadata is merged. `nextAt` is not recalculated. Throws
 * INVALID_REQUEST if `end_time` isn't a date.
 */
export function changedContent(before: CronContent, body: CronPatch): CronContent {
  const { schedule, timezone, enabled, end_time, on_run_completed, metadata } = body;
  const entries = Object.entries({ ...before.payload, ...body }).filter(
    ([name, value]) =>
      !NOT_IN_PAYLOAD.includes(name) && !CRON_FIELDS.includes(name) && value !== null && value !== undefined,
  );
  return {
    ...before,
    schedule: schedule ?? before.schedule,
    timezone: timezone === undefined ? before.timezone : timezone,
    enabled: enabled ?? before.enabled,
    endTime: end_time === undefined ? before.endTime : end_time && timeOf(end_time),
    onRunCompleted: on_run_completed ?? before.onRunCompleted,
    payload: Object.fromEntries(entries),
    metadata: { ...before.metadata, ...metadata },
  } as CronContent;
}

export function newContent(body: CronCreate): CronContent {
  const empty = { schedule: body.schedule, timezone: null, enabled: true, endTime: null, nextAt: null };
  return changedContent({ ...empty, onRunCompleted: 'delete', payload: {}, metadata: {} }, body);
}

function timeOf(text: string): number {
  const hasZone = /(z|[+-]\d\d:?\d\d)$/i.test(text);
  const time = Date.parse(hasZone || !text.includes('T') ? text : `${text}Z`);
  if (/^\d{4}-/.test(text) && !Number.isNaN(time)) return time;
  throw new SkeinError('INVALID_REQUEST', { detail: 'end_time: expected an ISO 8601 date and time' });
}

export function searchOf(owner: string, body: CronQuery, assistantId: string | undefined): CronSearch {
  const { thread_id, enabled, metadata, limit = 10, offset = 0, sort_by, sort_order } = body;
  return {
    ...{ owner, assistantId, limit, offset },
    ...{ threadId: thread_id ?? undefined, enabled: enabled ?? undefined, metadata: metadata ?? undefined },
    ...{ sortBy: sort_by ?? 'created_at', descending: sort_order !== 'asc' },
  };
}

export function cronBody(cron: StoredCron): Cron {
  const { cronId, assistantId, threadId, owner, schedule, timezone, enabled, payload, metadata } = cron;
  return {
    ...{ cron_id: cronId, assistant_id: assistantId, thread_id: threadId, schedule, timezone, enabled },
    ...{ end_time: isoOf(cron.endTime), on_run_completed: cron.onRunCompleted },
    next_run_date: isoOf(cron.nextAt),
    ...{ payload: { assistant_id: assistantId, ...payload }, metadata },
    user_id: owner === 'anonymous' ? null : owner,
    created_at: new Date(cron.createdAt).toISOString(),
    updated_at: new Date(cron.updatedAt).toISOString(),
  };
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
