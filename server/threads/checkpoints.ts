/** A thread's checkpoints, one with its values, and the fork that starts from one. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { readableValues } from '../../runtime/threads/checkpoint-values.ts';
import { valuesAt } from '../../runtime/workflows/delta-values.ts';
import type { StoredCheckpoint } from '../../state/archive.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { callOf } from '../chat/reply.ts';
import { NodeNames } from '../chat/schema.ts';
import { errorResponses } from '../http/error-schema.ts';
import { cursorOf, pageOf, pageQuery, pageRequest } from '../http/paging.ts';
import type { Services } from '../services.ts';
import { readThreadOf, ThreadBody, threadParams, toThreadBody } from './shape.ts';

const POSITION = ['string'] as const;

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const CheckpointEntry = Type.Object(
  {
    checkpoint_id: Type.String(),
    parent_id: Nullable('The checkpoint before it'),
    step: Type.Integer(),
    source: Type.String({ description: 'input, loop, update or fork' }),
    agent: Nullable('Whose work made it; several are joined'),
    next: Type.Array(Type.String(), { description: 'What would run from it' }),
    created_at: Type.String({ format: 'date-time' }),
    run_id: Nullable('The run that made it'),
    within: Nullable('The agent inside whose work it lies; `agent` and `next` are its steps then'),
  },
  { title: 'CheckpointEntry' },
);

const CheckpointBody = Type.Composite(
  [CheckpointEntry, Type.Object({ values: Type.Record(Type.String(), Type.Unknown()) })],
  { title: 'Checkpoint' },
);

const CheckpointQuery = Type.Object({
  run_id: Type.Optional(
    Type.String({ maxLength: 200, description: 'All that this run made, within its agents too' }),
  ),
  ...ownerQuery,
  ...pageQuery(POSITION),
});

const ForkRequest = Type.Object(
  {
    checkpoint_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          "Default: the thread's head. Of a graph inside of a node: the fork starts where that was started, and goes on in it",
      }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Merged into the state, by channel; messages are {id?, role, content} and replace by id',
      }),
    ),
    replace: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "Put in place of the channel's value, past its reducer; a list of messages is given whole, as the checkpoint's `values` have it",
      }),
    ),
    run: Type.Optional(
      Type.Boolean({
        description:
          'Run on with the nodes that come next, with the context and configuration of the run that is forked',
      }),
    ),
    interrupt_before: Type.Optional(NodeNames),
    interrupt_after: Type.Optional(NodeNames),
  },
  { title: 'ForkRequest', additionalProperties: true },
);

const ForkBody = Type.Composite(
  [
    ThreadBody,
    Type.Object({
      run_id: Type.Optional(
        Type.String({
          description: 'The run that goes on; absent where nothing comes next, or none was asked for',
        }),
      ),
    }),
  ],
  { title: 'Fork' },
);

export const checkpointRoutes = ({ archive, operators, state, fork, runFork, registry }: Services) =>
  new Elysia({ prefix: '/api/v1/threads', name: 'checkpoints' })
    .get(
      '/:thread_id/checkpoints',
      async ({ params: { thread_id }, query, request, route }) => {
        const page = pageRequest(query, POSITION);
        const read = { request, route, owner: query.owner };
        const { key } = await readThreadOf({ archive, operators }, read, thread_id);
        const { items, next } = await archive.checkpoints.list(key, page, query.run_id);
        return { checkpoints: items.map(toEntry), next_cursor: cursorOf(next) };
      },
      {
        params: threadParams,
        query: CheckpointQuery,
        response: { 200: pageOf('checkpoints', CheckpointEntry, 'CheckpointList') },
        detail: {
          summary: "A thread's checkpoints, newest first",
          tags: ['threads'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'),
        },
      },
    )
    .get(
      '/:thread_id/checkpoints/:checkpoint_id',
      async ({ params: { thread_id, checkpoint_id }, query, request, route }) => {
        const read = { request, route, owner: query.owner };
        const { key, owner, workflow } = await readThreadOf({ archive, operators }, read, thread_id);
        const checkpoint = await archive.checkpoints.findAny(key, checkpoint_id);
        const at = { thread_id: key, checkpoint_ns: checkpoint?.namespace, checkpoint_id };
        const tuple = checkpoint && (await state.checkpointer.getTuple({ configurable: at }));
        if (!tuple) throw new SkeinError('CHECKPOINT_NOT_FOUND');
        const run = checkpoint.runId && (await state.runs.find(owner, checkpoint.runId));
        // Inside of an agent lies another graph.
        const graph = checkpoint.namespace ? undefined : registry.find(run ? run.workflow : workflow)?.graph;
        const values = await valuesAt(state.checkpointer, tuple, graph);
        return { ...toEntry(checkpoint), values: readableValues(values) };
      },
      {
        params: Type.Object({ thread_id: Type.String(), checkpoint_id: Type.String() }),
        query: Type.Object(ownerQuery),
        response: { 200: CheckpointBody },
        detail: {
          summary: 'One checkpoint with its values',
          tags: ['threads'],
          responses: errorResponses('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'CHECKPOINT_NOT_FOUND'),
        },
      },
    )
    .post(
      '/:thread_id/fork',
      async ({ params: { thread_id }, body, request, set, status }) => {
        const { checkpoint_id: checkpointId, values, replace, run, interrupt_before, interrupt_after } = body;
        const asked = { owner: ownerOf(request), threadId: thread_id, checkpointId, values, replace };
        const stops = { interruptBefore: interrupt_before, interruptAfter: interrupt_after };
        const { thread, runId } = run
          ? await runFork({ ...asked, ...stops, ...callOf(set) })
          : { thread: await fork(asked) };
        set.headers.location = `/api/v1/threads/${thread.threadId}`;
        return status(201, { ...toThreadBody(thread), ...(runId !== undefined && { run_id: runId }) });
      },
      {
        parse: 'json',
        params: threadParams,
        body: ForkRequest,
        response: { 201: ForkBody },
        detail: {
          summary: 'Make a new thread that starts from a checkpoint of this one',
          tags: ['threads'],
          responses: errorResponses(
            ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_TYPE', 'UNAUTHORIZED'] as const),
            ...(['THREAD_NOT_FOUND', 'CHECKPOINT_NOT_FOUND', 'PAYLOAD_TOO_LARGE'] as const),
            ...(['CONFIGURATION_ERROR', 'BUDGET_EXCEEDED', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
          ),
        },
      },
    );

function toEntry(checkpoint: StoredCheckpoint): Static<typeof CheckpointEntry> {
  return {
    checkpoint_id: checkpoint.checkpointId,
    parent_id: checkpoint.parentId,
    step: checkpoint.step,
    source: checkpoint.source,
    agent: checkpoint.agents.length > 0 ? checkpoint.agents.join(', ') : null,
    next: checkpoint.next,
    created_at: checkpoint.createdAt,
    run_id: checkpoint.runId,
    within: checkpoint.namespace === '' ? null : agentsIn(checkpoint.namespace),
  };
}

/** LangGraph writes `<node>:<task>` for each graph inside another, joined by `|`. */
function agentsIn(namespace: string): string {
  return namespace
    .split('|')
    .map((part) => part.slice(0, part.lastIndexOf(':')))
    .join('/');
}
