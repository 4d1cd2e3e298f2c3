/** Threads that LangGraph's clients look for, by what is stored with them and by fields of their states. */
import { type Static, Type } from '@sinclair/typebox';
import { assistantId } from '../../../runtime/assistants/system-assistants.ts';
import type { Registry } from '../../../runtime/workflows/registry.ts';
import type { ThreadSearch } from '../../../state/archive.ts';
import type { Services } from '../../services.ts';
import { ThreadStatus } from '../../threads/shape.ts';
import { JsonObject } from '../json-object.ts';
import { selected } from '../pages.ts';
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
        description: 'Fields of the state, at least; every state of the other conditions is read',
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
          description: 'Paths by the names under which `extracted` has what is there; null where nothing is',
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

/** One page, and how many there are on all. */
export async function foundThreads(
  { archive, states, registry }: Pick<Services, 'archive' | 'states' | 'registry'>,
  owner: string,
  asked: Asked,
): Promise<{ items: FoundThread[]; total: number }> {
  const search = searchOf(owner, asked, registry);
  const wanted = Object.keys(asked.values ?? {}).length > 0 ? asked.values : undefined;
  if (!wanted) {
    const { items, total } = await archive.threads.search(search);
    const bodies = await Promise.all(items.map((thread) => threadBody(states, thread)));
    return { items: bodies.map((body) => shown(body, asked)), total };
  }
  const found: FoundThread[] = [];
  let total = 0;
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await archive.threads.search({ ...search, limit: PAGE, offset });
    const bodies = await Promise.all(items.map((thread) => threadBody(states, thread)));
    for (const body of bodies.filter(({ values }) => contains(values, wanted))) {
      if (total >= search.offset && found.length < search.limit) found.push(shown(body, asked));
      total++;
    }
    if (items.length < PAGE) return { items: found, total };
  }
}

function shown(thread: Thread, { select, extract }: Asked): FoundThread {
  if (!extract) return selected(thread, select);
  const extracted = Object.entries(extract).map(([name, path]) => [name, atPath(thread, path) ?? null]);
  return { ...selected(thread, select), extracted: Object.fromEntries(extracted) };
}

type Asked = Static<typeof Search>;

/**
 * `graph_id` of the metadata, and `assistant_id` if it is that of a graph's own assistant, stand for the graph of the
 * thread's last turn.
 */
function searchOf(owner: string, asked: Asked, { workflows }: Registry): ThreadSearch {
  const { ids, metadata, status, limit = 10, offset = 0, sort_by, sort_order } = asked;
  const { graph_id, assistant_id, ...rest } = metadata ?? {};
  const named = workflows.find(({ name }) => assistantId(name) === assistant_id)?.name;
  const graph = graph_id ?? named;
  const isOwn = assistant_id !== undefined && named === undefined;
  return {
    ...{ owner, limit, offset, metadata: isOwn ? { ...rest, assistant_id } : rest },
    ids: ids ?? undefined,
    workflow: graph === undefined ? undefined : String(graph),
    status: status ?? undefined,
    sortBy: sort_by ?? ('created_at' as const),
    descending: sort_order !== 'asc',
  };
}
