/** Searches threads in LangGraph's API by their stored fields and by the values of their states. */
import { type Static, Type } from '@sinclair/typebox';
import { assistantId } from '../../../runtime/assistants/system-assistants.ts';
import type { Registry } from '../../../runtime/workflows/registry.ts';
import type { ThreadSearch } from '../../../state/threads/archive.ts';
import type { Services } from '../../services.ts';
import { ThreadStatus } from '../../threads/shape.ts';
import { JsonObject } from '../json-object.ts';
import { selectFields } from '../pagination.ts';
import { Thread, threadBody } from './thread-body.ts';
import { atPath, contains, PATH } from './value-paths.ts';

export const Search = Type.Object(
  {
    ids: Type.Optional(Type.Union([Type.Array(Type.String(), { maxItems: 1000 }), Type.Null()])),
    metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    status: Type.Optional(Type.Union([ThreadStatus, Type.Null()])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
    sort_by: Type.Optional(
      Type.Union([
        Type.Literal('thread_id'),
        Type.Literal('created_at'),
        Type.Literal('updated_at'),
        Type.Literal('status'),
      ]),
    ),
    sort_order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    values: Type.Optional(
      Type.Union([JsonObject, Type.Null()], {
        description:
          'Values that the state must contain. Reads the state of every thread that matches the other conditions',
      }),
    ),
    select: Type.Optional(Type.Array(Type.String())),
    extract: Type.Optional(
      Type.Union(
        [
          Type.Record(
            Type.String(),
            Type.String({
              ...{ pattern: PATH, maxLength: 500, expected: 'a path such as values.messages[0].content' },
            }),
            { maxProperties: 10 },
          ),
          Type.Null(),
        ],
        {
          description:
            'Paths by name. `extracted` has the value of each path under this name, or null if there is none',
        },
      ),
    ),
  },
  { title: 'LangGraphThreadSearch', additionalProperties: true },
);

export const FoundThread = Type.Partial(
  Type.Composite([Thread, Type.Object({ extracted: JsonObject })], { title: 'LangGraphFoundThread' }),
);
type FoundThread = Static<typeof FoundThread>;

const PAGE = 100;
/** How many threads after the page are counted. */
const MAX_COUNTED = 10_000;

type Parts = Pick<Services, 'archive' | 'states' | 'registry'>;

/**
 * Returns one page, and `total` over all pages: at least, if more threads follow than are counted. `signal` aborts when the
 * client disconnects.
 */
export async function searchThreads(
  { archive, states, registry }: Parts,
  owner: string,
  query: Query,
  signal: AbortSignal,
): Promise<{ items: FoundThread[]; total: number }> {
  const search = searchOf(owner, query, registry);
  const { offset, limit } = search;
  const end = offset + limit;
  if (!hasValues(query)) {
    const threads = await archive.threads.search(search);
    const isLast = threads.length > 0 && threads.length < limit;
    const total = isLast ? offset + threads.length : await archive.threads.count(search, end + MAX_COUNTED);
    const bodies = await Promise.all(threads.map((thread) => threadBody(states, thread)));
    return { items: bodies.map((body) => toResult(body, query)), total };
  }
  const items: FoundThread[] = [];
  let total = 0;
  for await (const body of threadsWithValues({ archive, states }, search, query.values, signal)) {
    if (total >= offset && total < end) items.push(toResult(body, query));
    total++;
    // Only to know that there is another page, because reading states takes long.
    if (total > end) break;
  }
  return { items, total };
}

export async function countThreads(
  { archive, states, registry }: Parts,
  owner: string,
  query: Query,
  signal: AbortSignal,
): Promise<number> {
  const search = searchOf(owner, query, registry);
  if (!hasValues(query)) return archive.threads.count(search);
  let total = 0;
  for await (const _ of threadsWithValues({ archive, states }, search, query.values, signal)) total++;
  return total;
}

function hasValues({ values }: Query): boolean {
  return Object.keys(values ?? {}).length > 0;
}

/** Reads the state of every thread that matches the other conditions, because states can't be searched in the database. */
async function* threadsWithValues(
  { archive, states }: Pick<Services, 'archive' | 'states'>,
  search: ThreadSearch,
  values: Query['values'],
  signal: AbortSignal,
): AsyncGenerator<Thread> {
  for (let offset = 0; !signal.aborted; offset += PAGE) {
    const threads = await archive.threads.search({ ...search, limit: PAGE, offset });
    const bodies = await Promise.all(threads.map((thread) => threadBody(states, thread)));
    yield* bodies.filter((body) => contains(body.values, values ?? {}));
    if (threads.length < PAGE) return;
    // Let waiting requests run.
    await Bun.sleep(0);
  }
}

function toResult(thread: Thread, { select, extract }: Query): FoundThread {
  if (!extract) return selectFields(thread, select);
  const extracted = Object.entries(extract).map(([name, path]) => [name, atPath(thread, path) ?? null]);
  return { ...selectFields(thread, select), extracted: Object.fromEntries(extracted) };
}

type Query = Static<typeof Search>;

/**
 * In `metadata`, `graph_id` and the `assistant_id` of a graph's default assistant aren't stored fields: they match the
 * workflow of the thread's last turn.
 */
function searchOf(owner: string, query: Query, { workflows }: Registry): ThreadSearch {
  const { ids, metadata, status, limit = 10, offset = 0, sort_by, sort_order } = query;
  const { graph_id, assistant_id, ...rest } = metadata ?? {};
  const defaultGraph = workflows.find(({ name }) => assistantId(name) === assistant_id)?.name;
  const graph = graph_id ?? defaultGraph;
  const isStored = assistant_id !== undefined && defaultGraph === undefined;
  return {
    ...{ owner, limit, offset, metadata: isStored ? { ...rest, assistant_id } : rest },
    ids: ids ?? undefined,
    // No workflow has a name that isn't a text.
    workflow: graph === undefined || typeof graph === 'string' ? graph : JSON.stringify(graph),
    status: status ?? undefined,
    sortBy: sort_by ?? ('created_at' as const),
    descending: sort_order !== 'asc',
  };
}
