/** Routes for a thread's checkpoints: list them, and read one with its values. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { readableValues } from '../../runtime/threads/checkpoint-values.ts';
import { valuesAt } from '../../runtime/workflows/delta-values.ts';
import { SkeinError } from '../../state/errors.ts';
import type { StoredCheckpoint } from '../../state/threads/archive.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { pageOf, paging } from '../http/schemas/paging.ts';
import type { Services } from '../services.ts';
import { readThreadOf, threadParams } from './shape.ts';

const PAGES = paging('checkpoints', ['string']);

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const CheckpointId = Type.String({ description: 'The id of the checkpoint' });

const CheckpointEntry = Type.Object(
  {
    checkpoint_id: CheckpointId,
    parent_id: Nullable('The previous checkpoint'),
    step: Type.Integer({ description: "LangGraph's number of the step. -1 is the input of the first turn" }),
    source: Type.String({ description: 'input, loop, update or fork' }),
    agent: Nullable('The agents that ran before it, joined by commas'),
    next: Type.Array(Type.String(), { description: 'The next agents' }),
    created_at: Type.String({ format: 'date-time', description: 'When it was created' }),
    run_id: Nullable('The run that created it'),
    within: Nullable('The agent that contains it, for a subgraph. `agent` and `next` are then its steps'),
  },
  { title: 'CheckpointEntry' },
);

const CheckpointBody = Type.Composite(
  [
    CheckpointEntry,
    Type.Object({
      values: Type.Record(Type.String(), Type.Unknown(), { description: 'The values of the channels' }),
    }),
  ],
  { title: 'Checkpoint' },
);

const CheckpointQuery = Type.Object({
  run_id: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Only checkpoints of this run, including those of subgraphs',
    }),
  ),
  ...ownerQuery,
  ...PAGES.query,
});

export const checkpointRoutes = ({ archive, operators, state, registry }: Services) =>
  new Elysia({ prefix: '/api/v1/threads', name: 'checkpoints' })
    .get(
      '/:thread_id/checkpoints',
      async ({ params: { thread_id }, query, request, route }) => {
        const page = PAGES.request(query);
        const read = { request, route, owner: query.owner };
        const { key } = await readThreadOf({ archive, operators }, read, thread_id);
        const { items, next } = await archive.checkpoints.list(key, page, query.run_id);
        return { checkpoints: items.map(toEntry), next_cursor: PAGES.cursorOf(next) };
      },
      {
        params: threadParams,
        query: CheckpointQuery,
        response: { 200: pageOf('checkpoints', CheckpointEntry, 'CheckpointList') },
        detail: {
          summary: "List a thread's checkpoints, newest first",
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
        // A checkpoint with a namespace belongs to a subgraph, which the registry doesn't have.
        const graph = checkpoint.namespace ? undefined : registry.find(run ? run.workflow : workflow)?.graph;
        const values = await valuesAt(state.checkpointer, tuple, graph);
        return { ...toEntry(checkpoint), values: readableValues(values) };
      },
      {
        params: Type.Object({ ...threadParams.properties, checkpoint_id: CheckpointId }),
        query: Type.Object(ownerQuery),
        response: { 200: CheckpointBody },
        detail: {
          summary: 'Get a checkpoint with its values',
          tags: ['threads'],
          responses: errorResponses('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'CHECKPOINT_NOT_FOUND'),
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

/** LangGraph's namespaces have `<node>:<task>` for each subgraph, joined by `|`. */
function agentsIn(namespace: string): string {
  return namespace
    .split('|')
    .map((part) => part.slice(0, part.lastIndexOf(':')))
    .join('/');
}
