/** The contract of `AssistantStore`. A driver's test calls it with a function that opens an empty state. */
import { expect, test } from 'bun:test';
import type {
  AssistantContent,
  AssistantSearch,
  AssistantStore,
  StoredAssistant,
} from '../../state/resources/assistants.ts';

const content = (change: Partial<AssistantContent> = {}): AssistantContent => ({
  ...{ graph: 'g', name: 'Untitled', description: null, config: {}, context: {}, metadata: {} },
  ...change,
});

export function assistantsContract(
  open: () => Promise<{
    assistants: AssistantStore;
    reopen: () => Promise<AssistantStore>;
    close: () => Promise<void>;
  }>,
): void {
  async function opened(
    use: (assistants: AssistantStore, reopen: () => Promise<AssistantStore>) => Promise<void>,
  ): Promise<void> {
    const { assistants, reopen, close } = await open();
    try {
      await use(assistants, reopen);
    } finally {
      await close();
    }
  }

  test('an id can be created once per owner, and only the owner sees the assistant', () =>
    opened(async (assistants) => {
      const first = content({ config: { configurable: { n: 1 } }, context: { deep: [1] }, description: 'D' });
      expect(await assistants.create('ann', 'a', first, 5)).toBe(true);
      expect(await assistants.create('ann', 'a', content(), 6)).toBe(false);
      expect(await assistants.find('ann', 'a')).toEqual({
        ...{ ...first, assistantId: 'a', version: 1, createdAt: 5, updatedAt: 5 },
      });
      expect(await assistants.find('bob', 'a')).toBeUndefined();
      expect(await assistants.change('bob', 'a', { name: 'Mine' }, 7)).toBeUndefined();
      expect(await assistants.setVersion('bob', 'a', 1, 7)).toBe(false);
      expect(await assistants.versions('bob', 'a', { limit: 10, offset: 0 })).toEqual([]);
      expect(await assistants.remove('bob', 'a')).toBe(false);
      expect(await assistants.create('bob', 'a', content({ name: 'Mine' }), 7)).toBe(true);
      expect((await assistants.find('ann', 'a'))?.name).toBe('Untitled');
    }));

  test('a change creates a version and merges metadata, and any version can become current', () =>
    opened(async (assistants) => {
      await assistants.create('ann', 'a', content({ metadata: { kept: 1, changed: 1 } }), 1);
      const changed = await assistants.change('ann', 'a', { metadata: { changed: 2 }, graph: 'h' }, 2);
      expect(changed).toEqual({
        ...content({ graph: 'h', metadata: { kept: 1, changed: 2 } }),
        ...{ assistantId: 'a', version: 2, createdAt: 1, updatedAt: 2 },
      });
      expect(await assistants.find('ann', 'a')).toEqual(changed);
      expect(await assistants.setVersion('ann', 'a', 3, 3)).toBe(false);
      expect(await assistants.setVersion('ann', 'a', 1, 4)).toBe(true);
      expect(await assistants.find('ann', 'a')).toMatchObject({ graph: 'g', version: 1, updatedAt: 4 });
      const again = await assistants.change('ann', 'a', { name: 'N' }, 5);
      expect(again).toMatchObject({ version: 3, graph: 'g', name: 'N', metadata: { kept: 1, changed: 1 } });
      const page = (limit: number, offset: number, metadata?: Record<string, unknown>) =>
        assistants.versions('ann', 'a', { limit, offset, metadata });
      const numbers = async (versions: ReturnType<typeof page>) =>
        (await versions).map(({ version }) => version);
      expect(await numbers(page(10, 0))).toEqual([3, 2, 1]);
      expect(await numbers(page(1, 1))).toEqual([2]);
      expect(await numbers(page(10, 0, { changed: 1 }))).toEqual([3, 1]);
      expect((await page(1, 1))[0]?.createdAt).toBe(2);
    }));

  test('concurrent changes each create a version', () =>
    opened(async (assistants) => {
      await assistants.create('ann', 'a', content(), 1);
      const names = Array.from({ length: 5 }, (_, index) => String(index));
      const changed = await Promise.all(
        names.map((key) => assistants.change('ann', 'a', { metadata: { [key]: true } }, 2)),
      );
      expect(changed.map((one) => one?.version).toSorted()).toEqual([2, 3, 4, 5, 6]);
      expect(Object.keys((await assistants.find('ann', 'a'))?.metadata ?? {}).toSorted()).toEqual(names);
    }));

  test('assistants and their versions survive a restart', () =>
    opened(async (assistants, reopen) => {
      await assistants.create('ann', 'a', content(), 1);
      await assistants.change('ann', 'a', { context: { model: 'm' } }, 2);
      const again = await reopen();
      expect(await again.find('ann', 'a')).toEqual({
        ...content({ context: { model: 'm' } }),
        ...{ assistantId: 'a', version: 2, createdAt: 1, updatedAt: 2 },
      });
      expect(await again.versions('ann', 'a', { limit: 10, offset: 0 })).toHaveLength(2);
    }));

  test('keeps all JSON values and finds assistants by metadata of any type', () =>
    opened(async (assistants) => {
      const odd = { "it's": ['a"b', { deep: null }], '$.x': 1.5, none: null, 'ü\n': 'Ä😀' };
      await assistants.create('ann', 'a', content({ config: { odd, nul: 'a\0b' }, metadata: odd }), 1);
      await assistants.create('ann', 'b', content({ metadata: { none: 0, nul: 'a\0b' } }), 2);
      expect((await assistants.find('ann', 'a'))?.config).toEqual({ odd, nul: 'a\0b' });
      expect((await assistants.find('ann', 'a'))?.metadata).toEqual(odd);
      for (const [key, value] of Object.entries(odd)) {
        const page = { metadata: { [key]: value }, limit: 10, offset: 0 };
        const search = { owner: 'ann', others: [], sortBy: 'name' as const, descending: true, ...page };
        expect((await assistants.search(search)).items.map(({ assistantId }) => assistantId)).toEqual(['a']);
        expect(await assistants.versions('ann', 'a', page)).toHaveLength(1);
      }
    }));

  test('a new assistant with the id of a deleted one has none of its versions', () =>
    opened(async (assistants) => {
      await assistants.create('ann', 'a', content(), 1);
      await assistants.change('ann', 'a', { name: 'N' }, 2);
      expect(await assistants.remove('ann', 'a')).toBe(true);
      expect(await assistants.remove('ann', 'a')).toBe(false);
      expect(await assistants.find('ann', 'a')).toBeUndefined();
      await assistants.create('ann', 'a', content(), 3);
      expect(await assistants.versions('ann', 'a', { limit: 10, offset: 0 })).toMatchObject([{ version: 1 }]);
    }));

  test('searches stored and other assistants together, by their current versions', () =>
    opened(async (assistants) => {
      const other = (assistantId: string, change: Partial<StoredAssistant>): StoredAssistant => ({
        ...{ ...content(), assistantId, version: 1, createdAt: 5, updatedAt: 5 },
        ...change,
      });
      const others = [
        other('s1', { name: 'First', graph: 'first' }),
        other('s2', { name: 'Second', graph: 'second' }),
      ];
      const ids = async (search: Partial<AssistantSearch>) => {
        const { items, total } = await assistants.search({
          ...{ owner: 'ann', others, sortBy: 'created_at', descending: true, limit: 10, offset: 0 },
          ...search,
        });
        return [items.map(({ assistantId }) => assistantId).join(), total];
      };
      expect(await ids({})).toEqual(['s1,s2', 2]);
      await assistants.create('ann', 'a', content({ name: 'Ärmel', metadata: { deep: { x: [1] } } }), 5);
      await assistants.create('ann', 'b', content({ name: 'old', metadata: { kind: 'x' } }), 9);
      await assistants.create('bob', 'c', content(), 9);
      await assistants.change('ann', 'b', { name: 'NEW', graph: 'first' }, 10);
      expect(await ids({})).toEqual(['b,a,s1,s2', 4]);
      expect(await ids({ limit: 2, offset: 1 })).toEqual(['a,s1', 4]);
      expect(await ids({ limit: 2, offset: 4 })).toEqual(['', 4]);
      expect(await ids({ sortBy: 'name', descending: false })).toEqual(['s1,b,s2,a', 4]);
      expect(await ids({ sortBy: 'graph_id', descending: false, name: 'S' })).toEqual(['s1,s2', 2]);
      expect(await ids({ sortBy: 'assistant_id' })).toEqual(['s2,s1,b,a', 4]);
      expect(await ids({ name: 'äR' })).toEqual(['a', 1]);
      expect(await ids({ name: 'old' })).toEqual(['', 0]);
      expect(await ids({ graph: 'first' })).toEqual(['b,s1', 2]);
      expect(await ids({ metadata: { kind: 'x' } })).toEqual(['b', 1]);
      expect(await ids({ metadata: { deep: { x: [1] } } })).toEqual(['a', 1]);
      expect(await ids({ owner: 'bob' })).toEqual(['c,s1,s2', 3]);
      await assistants.create('ann', 's1', others[0] ?? content(), 20);
      await assistants.change('ann', 's1', { name: 'Mine' }, 21);
      const { items } = await assistants.search({
        ...{ owner: 'ann', others, sortBy: 'updated_at', descending: true, limit: 10, offset: 0 },
      });
      expect(items.map(({ assistantId, name }) => [assistantId, name])).toEqual([
        ...[
          ['s1', 'Mine'],
          ['b', 'NEW'],
          ['a', 'Ärmel'],
        ],
        ['s2', 'Second'],
      ]);
      expect(items.at(-1)).toEqual(others[1] as StoredAssistant);
    }));
}
