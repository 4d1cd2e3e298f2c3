/** `skein state import-langgraph`: threads of LangGraph's PostgresSaver continue in the service with their state. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { SQL } from 'bun';
import { freshDatabase, POSTGRES } from '../../support/postgres-database.ts';
import { runCommand } from '../../support/run-command.ts';
import { type TestService, testService, writeGraphs } from '../../support/service.ts';
import { clientOf, newFolder, onPostgres } from './filled-service.ts';

setDefaultTimeout(120_000);

// Counts its messages, in the root graph and in a subgraph.
const MEMORY = `
import { MessagesAnnotation } from ${JSON.stringify(Bun.resolveSync('@langchain/langgraph', import.meta.dir))};
const Heard = Annotation.Root({ heard: Annotation(), seen: Annotation(), when: Annotation(), bytes: Annotation() });
const inner = new StateGraph(Heard)
  .addNode('count', ({ heard = 0 }) => ({ heard: heard + 1 }))
  .addNode('more', () => ({ seen: new Set(['x']), when: new Map([['a', 1]]), bytes: new Uint8Array([1, 2]) }))
  .addEdge(START, 'count').addEdge('count', 'more').compile();
export const built = new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec, ...Heard.spec }))
  .addNode('inner', inner)
  .addNode('ask', ({ messages }) => messages.at(-1).content === 'Ask me'
    ? { messages: [new AIMessage('You said ' + interrupt({ question: 'What?' }))] } : {})
  .addNode('say', ({ messages, heard, seen, when, bytes }) => {
    const kept = seen.has('x') && when.get('a') === 1 && bytes[1] === 2 ? heard : 'nothing';
    return { messages: [new AIMessage(kept + ' of ' + messages.length + ' ' + 'word '.repeat(300))] };
  })
  .addEdge(START, 'inner').addEdge('inner', 'ask').addEdge('ask', 'say');
export default built.compile();`;

interface Built {
  compile(options: { checkpointer: PostgresSaver }): {
    invoke(input: unknown, config: { configurable: { thread_id: string } }): Promise<unknown>;
  };
}

describe.skipIf(POSTGRES === undefined)('threads of a PostgresSaver', () => {
  const folder = newFolder();
  let source: Awaited<ReturnType<typeof freshDatabase>>;
  let target: Awaited<ReturnType<typeof freshDatabase>>;

  beforeAll(async () => {
    source = await freshDatabase();
    target = await freshDatabase();
    await writeGraphs(folder, { memory: MEMORY });
    const { built } = (await import(join(folder, 'graphs/memory/graph.ts'))) as { built: Built };
    for (const schema of ['public', 'other']) {
      const saver = PostgresSaver.fromConnString(source.url, { schema });
      await saver.setup();
      const graph = built.compile({ checkpointer: saver });
      const say = (thread_id: string, ...texts: string[]) =>
        texts.reduce(
          (before, content) =>
            before.then(() =>
              graph.invoke({ messages: [{ role: 'user', content }] }, { configurable: { thread_id } }),
            ),
          Promise.resolve<unknown>(undefined),
        );
      await say('long', 'one', 'two', 'three');
      await say('other', 'hello');
      await say('asks', 'Ask me');
      await say('not a thread/../id', 'hello');
      await saver.end();
    }
  });
  afterAll(async () => {
    await source.drop();
    await target.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const onDriver = (driver: string): Record<string, string> =>
    driver === 'SQLite' ? {} : onPostgres(target.url);
  const take = (driver: string, ...more: string[]) =>
    runCommand(
      ['state', 'import-langgraph', '--from', source.url, '--workflow', 'memory', ...more],
      folder,
      onDriver(driver),
    );

  describe.each(['SQLite', 'PostgreSQL'])('on %s', (driver) => {
    let service: TestService;
    beforeAll(async () => {
      const { out, errors, code } = await take(driver);
      expect(errors).toContain('not a thread/../id: not a valid thread id');
      expect(errors).toContain('1 threads were not imported');
      expect(out).toMatch(/^3 threads with \d+ checkpoints are in .*\n$/);
      expect(code).toBe(1);
      service = await testService({ folder, env: onDriver(driver) });
    });
    afterAll(() => service.close());

    test('they have their states, messages and history', async () => {
      const { threads } = clientOf(service);
      const state = await threads.getState<{ messages: { content: string }[]; heard: number }>('long');
      expect(state.values.heard).toBe(3);
      expect(state.values.messages.map(({ content }) => content.slice(0, 6))).toEqual([
        ...['one', '1 of 1', 'two', '2 of 3', 'three', '3 of 5'],
      ]);
      expect(await threads.getHistory('long', { limit: 100 })).toHaveLength(15);
      const listed = await service.fetch('/api/v1/threads/long/messages');
      expect(((await listed.json()) as { messages: unknown[] }).messages).toHaveLength(6);
      const found = await threads.search({ limit: 10 });
      expect(found.map(({ thread_id }) => thread_id).toSorted()).toEqual(['asks', 'long', 'other']);
    });

    test("they continue over chat and over LangGraph's protocol", async () => {
      const chat = await service.chat({
        conversation_flow: 'memory',
        thread_id: 'long',
        user_prompt: 'four',
      });
      expect(chat.body.agent_response).toStartWith('4 of 7 ');
      const values = await clientOf(service).runs.wait('long', 'memory', {
        input: { messages: [{ role: 'user', content: 'five' }] },
      });
      expect(values).toMatchObject({
        heard: 5,
        messages: { 9: { content: expect.stringMatching(/^5 of 9 /) } },
      });
      const again = await service.chat({
        conversation_flow: 'memory',
        thread_id: 'other',
        user_prompt: 'again',
      });
      expect(again.body.agent_response).toStartWith('2 of 3 ');
    });

    test('an open interrupt can be answered', async () => {
      const client = clientOf(service);
      const [task] = (await client.threads.getState('asks')).tasks;
      expect(task?.interrupts).toMatchObject([{ value: { question: 'What?' } }]);
      const values = await client.runs.wait('asks', 'memory', { command: { resume: 'this' } });
      expect(values).toMatchObject({ messages: { 1: { content: 'You said this' } } });
    });
  });

  test('existing threads are not changed, and other schemas and owners are supported', async () => {
    const again = await take('PostgreSQL');
    expect(again.out).toMatch(/^0 threads with 0 checkpoints are in .*, 3 already existed\n$/);
    expect((await take('PostgreSQL', '--owner', 'ann', '--schema', 'other')).out).toStartWith(
      '3 threads with ',
    );
    const sql = new SQL({ url: target.url, max: 1 });
    const owners =
      await sql`SELECT owner, count(*)::int AS count FROM skein.threads GROUP BY owner ORDER BY owner`;
    await sql.close({ timeout: 0 });
    expect([...owners]).toEqual([
      { owner: 'anonymous', count: 3 },
      { owner: 'user:ann', count: 3 },
    ]);
  });

  test('a schema without a saver and an unreachable database are rejected', async () => {
    const nothing = await take('SQLite', '--schema', 'nowhere');
    expect(nothing).toMatchObject({ code: 2, out: '' });
    expect(nothing.errors).toContain(
      "'--from': the schema 'nowhere' of this database has no PostgresSaver tables",
    );
    const failed = await take('SQLite', '--from', 'postgres://u:secret-word@127.0.0.1:9/x');
    expect(failed.code).toBe(2);
    expect(failed.errors).toContain("'--from': the database cannot be used");
    expect(failed.errors).not.toContain('secret-word');
  });
});
