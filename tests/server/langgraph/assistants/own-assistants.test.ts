/** Assistants that callers create, change and delete with LangGraph's own client. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { type TestService, testService } from '../../../support/service.ts';
import { ANN, BOB, protectedConfig } from '../../support/credentials.ts';

const GRAPH = `
export default new StateGraph(Annotation.Root({ n: Annotation() }))
  .addNode('one', () => ({ n: 1 })).addEdge(START, 'one').compile();`;

let service: TestService;
beforeAll(async () => {
  service = await testService({ graphs: { plain: GRAPH, other: GRAPH } });
});
afterAll(() => service.close());

const client = () => new Client({ apiUrl: service.url, apiKey: null });
const assistants = () => client().assistants;

const ID = '7a1b3f5e-0000-4000-8000-0000000000aB';

test('an assistant can be created with a config, a context, metadata and a name, and read', async () => {
  const made = await assistants().create({
    ...{ graphId: 'plain', name: 'Mine', description: 'D', metadata: { team: 'x' } },
    ...{ config: { configurable: { n: 1 }, recursion_limit: 7 }, context: { model: 'm' } },
  });
  expect(made).toMatchObject({
    ...{ graph_id: 'plain', name: 'Mine', description: 'D', version: 1, metadata: { team: 'x' } },
    ...{ config: { configurable: { n: 1 }, recursion_limit: 7 }, context: { model: 'm' } },
  });
  expect(made.updated_at).toBe(made.created_at);
  expect(await assistants().get(made.assistant_id)).toEqual(made);
  const bare = await assistants().create({ graphId: 'plain' });
  expect(bare).toMatchObject({
    ...{ name: 'Untitled', description: null, config: {}, context: {}, metadata: {} },
  });
  await assistants().delete(made.assistant_id);
  await assistants().delete(bare.assistant_id);
});

test('an ID can only be used once, and do_nothing returns the existing assistant', async () => {
  const made = await assistants().create({ graphId: 'plain', assistantId: ID, name: 'First' });
  expect(made.assistant_id).toBe(ID.toLowerCase());
  const again = { graphId: 'other', assistantId: ID, name: 'Second' };
  expect(assistants().create(again)).rejects.toThrow('HTTP 409: Assistant already exists');
  expect(await assistants().create({ ...again, ifExists: 'do_nothing' })).toEqual(made);
  expect(await assistants().get(ID)).toEqual(made);
  await assistants().delete(ID);
  const own = await assistants().get('plain');
  const taken = { graphId: 'plain', assistantId: own.assistant_id };
  expect(assistants().create(taken)).rejects.toThrow('HTTP 409: Assistant already exists');
  expect(await assistants().create({ ...taken, ifExists: 'do_nothing' })).toEqual(own);
});

test('an unknown graph and an invalid ID are rejected', async () => {
  expect(assistants().create({ graphId: 'PLAIN' })).rejects.toThrow(
    'HTTP 404: Graph "PLAIN" not found. Available: classification-agent,',
  );
  const made = await assistants().create({ graphId: 'plain' });
  expect(assistants().update(made.assistant_id, { graphId: '<none>' })).rejects.toThrow(
    'HTTP 404: Graph not found. Available:',
  );
  expect((await assistants().get(made.assistant_id)).version).toBe(1);
  await assistants().delete(made.assistant_id);
  expect(assistants().create({ graphId: 'plain', assistantId: 'plain' })).rejects.toThrow(
    'HTTP 400: assistant_id: expected a UUID',
  );
});

test('invalid values are rejected with the name of the field', async () => {
  const create = (field: object) => assistants().create({ graphId: 'plain', ...field });
  expect(create({ config: { configurable: 1 } })).rejects.toThrow('HTTP 400: config: expected an object');
  expect(create({ context: [] })).rejects.toThrow('HTTP 400: context: expected an object');
  expect(create({ name: 1 })).rejects.toThrow('HTTP 400: name: expected a string');
  expect(assistants().search({ offset: 1e20 })).rejects.toThrow('HTTP 400: offset: expected integer');
  expect(client().threads.search({ offset: 1e20 })).rejects.toThrow('HTTP 400: offset: expected integer');
  const nulls = { config: null, context: null, metadata: null, name: null, description: null };
  const made = await create(nulls as object);
  expect(await assistants().update(made.assistant_id, nulls as object)).toMatchObject({
    version: 2,
    name: 'Untitled',
  });
  await assistants().delete(made.assistant_id);
});

test('an update creates a version that merges the metadata and keeps the rest, and any version can be made the latest', async () => {
  const { assistant_id: id } = await assistants().create({
    ...{ graphId: 'plain', name: 'A', description: 'D', metadata: { kept: 1, changed: 1 } },
    ...{ config: { configurable: { n: 1 } }, context: { model: 'm' } },
  });
  const changed = await assistants().update(id, { graphId: 'other', metadata: { changed: 2 }, context: {} });
  expect(changed).toMatchObject({
    ...{ version: 2, graph_id: 'other', name: 'A', description: 'D', metadata: { kept: 1, changed: 2 } },
    config: { configurable: { n: 1 } },
  });
  expect(changed.context).toEqual({});
  expect((await assistants().update(id, { config: { configurable: { n: 2 } } })).version).toBe(3);
  expect(await assistants().getVersions(id)).toMatchObject([
    ...[{ version: 3, config: { configurable: { n: 2 } } }, { version: 2 }],
    { version: 1, graph_id: 'plain', metadata: { kept: 1, changed: 1 }, context: { model: 'm' } },
  ]);
  expect(await assistants().getVersions(id, { limit: 1, offset: 1 })).toMatchObject([{ version: 2 }]);
  expect(await assistants().getVersions(id, { metadata: { changed: 1 } })).toMatchObject([{ version: 1 }]);
  expect(await assistants().setLatest(id, 1)).toMatchObject({
    version: 1,
    graph_id: 'plain',
    context: { model: 'm' },
  });
  expect(await assistants().get(id)).toMatchObject({ version: 1, metadata: { changed: 1 } });
  expect((await assistants().update(id, {})).version).toBe(4);
  expect(assistants().setLatest(id, 5)).rejects.toThrow('HTTP 404: Assistant version not found');
  await assistants().delete(id);
  for (const call of [
    () => assistants().get(id),
    () => assistants().getVersions(id),
    () => assistants().update(id, {}),
    () => assistants().delete(id),
    () => assistants().setLatest(id, 1),
    () => assistants().getGraph(id),
  ])
    expect(call()).rejects.toThrow('HTTP 404: Assistant not found');
});

test("they are listed with the graphs' own assistants, newest first, and counted", async () => {
  const first = await assistants().create({
    graphId: 'plain',
    name: 'Alpha',
    metadata: { kind: { deep: [1] } },
  });
  const second = await assistants().create({ graphId: 'plain', name: 'beta', metadata: { kind: 'x' } });
  const names = async (query: Parameters<ReturnType<typeof assistants>['search']>[0]) =>
    ((await assistants().search(query)) as { name: string }[]).map(({ name }) => name);
  expect(await names({ graphId: 'plain' })).toEqual(['beta', 'Alpha', 'plain']);
  expect(await names({ graphId: 'plain', sortBy: 'name', sortOrder: 'desc' })).toEqual([
    'plain',
    'beta',
    'Alpha',
  ]);
  expect(await names({ metadata: { kind: { deep: [1] } } })).toEqual(['Alpha']);
  expect(await names({ metadata: { created_by: 'system' }, graphId: 'plain' })).toEqual(['plain']);
  expect(await names({ name: 'LPH' })).toEqual(['Alpha']);
  expect(await assistants().count({ graphId: 'plain' })).toBe(3);
  const page = await assistants().search({
    graphId: 'plain',
    limit: 2,
    select: ['name'],
    includePagination: true,
  });
  expect(page as object).toEqual({ assistants: [{ name: 'beta' }, { name: 'Alpha' }], next: '2' });
  for (const { assistant_id } of [first, second]) await assistants().delete(assistant_id);
  expect(assistants().search({ sortBy: 'size' as never })).rejects.toThrow('HTTP 400');
});

test("changing a graph's own assistant creates a copy for the caller, which can be deleted", async () => {
  const own = await assistants().get('other');
  expect(await assistants().getVersions('other')).toMatchObject([{ version: 1, name: 'other' }]);
  expect(await assistants().getVersions('other', { metadata: { created_by: 'me' } })).toEqual([]);
  expect(await assistants().getVersions('other', { offset: 1 })).toEqual([]);
  expect(await assistants().setLatest('other', 1)).toEqual(own);
  expect(assistants().setLatest('other', 2)).rejects.toThrow('HTTP 404: Assistant version not found');
  const changed = await assistants().update('other', { context: { model: 'm' } });
  expect(changed).toEqual({ ...own, version: 2, context: { model: 'm' }, updated_at: changed.updated_at });
  expect(await assistants().get(own.assistant_id)).toEqual(changed);
  expect(await assistants().getVersions('other')).toMatchObject([
    { version: 2 },
    { version: 1, context: {} },
  ]);
  expect(await assistants().count({ graphId: 'other' })).toBe(1);
  expect((await assistants().setLatest('other', 1)).context).toEqual({});
  await assistants().delete('other');
  expect(await assistants().get('other')).toEqual(own);
  expect(assistants().delete('other')).rejects.toThrow("HTTP 400: A graph's own assistant cannot be deleted");
});

test('its threads are deleted with it if requested', async () => {
  const { threads } = client();
  const make = async (name: string) => {
    const { assistant_id } = await assistants().create({ graphId: 'plain', name });
    const metadata = { assistant_id };
    await threads.create({ threadId: name, metadata });
    expect(await threads.search({ metadata })).toMatchObject([{ thread_id: name }]);
    return assistant_id;
  };
  const [kept, gone] = [await make('kept'), await make('gone')];
  await assistants().delete(gone, { deleteThreads: true });
  expect(threads.get('gone')).rejects.toThrow('HTTP 404: Thread with ID gone not found');
  const response = await service.fetch(`/assistants/${kept}`, { method: 'DELETE' });
  expect([response.status, await response.json()]).toEqual([200, [kept]]);
  expect(await threads.get('kept')).toMatchObject({ metadata: { assistant_id: kept } });
});

test('two clients can delete an assistant with its threads at the same time', async () => {
  const { threads } = client();
  const { assistant_id } = await assistants().create({ graphId: 'plain' });
  const metadata = { assistant_id };
  for (let count = 0; count < 6; count++) await threads.create({ metadata });
  const remove = () => service.fetch(`/assistants/${assistant_id}?delete_threads=true`, { method: 'DELETE' });
  const statuses = (await Promise.all([remove(), remove()])).map(({ status }) => status);
  expect(statuses).toContain(200);
  expect(statuses.every((status) => status === 200 || status === 404)).toBe(true);
  expect(await threads.search({ metadata })).toEqual([]);
});

describe('of several callers', () => {
  let guarded: TestService;
  beforeAll(async () => {
    guarded = await testService({ config: protectedConfig(), graphs: { plain: GRAPH } });
  });
  afterAll(() => guarded.close());
  const of = (defaultHeaders: Record<string, string>) =>
    new Client({ apiUrl: guarded.url, apiKey: null, defaultHeaders }).assistants;

  test("each sees and changes only its own assistants and its own copies of the graphs' assistants", async () => {
    const [ann, bob] = [of(ANN), of(BOB)];
    const made = await ann.create({ graphId: 'plain', assistantId: ID, name: 'of Ann' });
    expect(bob.get(ID)).rejects.toThrow('HTTP 404: Assistant not found');
    expect(bob.update(ID, { name: 'mine' })).rejects.toThrow('HTTP 404: Assistant not found');
    expect(bob.delete(ID)).rejects.toThrow('HTTP 404: Assistant not found');
    expect(await bob.count({ graphId: 'plain' })).toBe(1);
    expect(await bob.create({ graphId: 'plain', assistantId: ID, name: 'of Bob' })).toMatchObject({
      name: 'of Bob',
    });
    await bob.delete(ID);
    expect(await ann.get(ID)).toEqual(made);
    const before = await bob.get('plain');
    await ann.update('plain', { context: { model: 'm' } });
    expect(await bob.get('plain')).toEqual(before);
    expect(of({}).create({ graphId: 'plain' })).rejects.toThrow('HTTP 401');
  });
});
