/** The saver on SQLite. */
import { expect, test } from 'bun:test';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '../../../../state/sqlite/checkpoints/saver.ts';
import { checkpointStatements, type Selection } from '../../../../state/sqlite/checkpoints/statements.ts';
import { saverContract } from '../../../contracts/checkpoints/saver.ts';
import { openSaver } from './open-saver.ts';

saverContract(openSaver);

test('one transaction per superstep after the first agent, for any number of writes', async () => {
  const { writer, commit, close } = await openSaver();
  const saver = await writer('1');
  const State = Annotation.Root({ word: Annotation<string> });
  const graph = new StateGraph(State)
    .addNode('a', () => ({ word: 'a' }))
    .addNode('b', () => ({ word: 'b' }))
    .addNode('c', () => ({ word: 'c' }))
    .addEdge(START, 'a')
    .addEdge('a', 'b')
    .addEdge('b', 'c')
    .addEdge('c', END)
    .compile({ checkpointer: saver });
  await graph.invoke({ word: '' }, { configurable: { thread_id: '1' }, durability: 'sync' });
  commit.flush();
  expect(commit.commits()).toBe(3);
  await close();
});

test('a list reads only the checkpoints that it needs, and lets other work run', async () => {
  const { db, commit, close } = await openSaver();
  const count = 20_000;
  db.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO checkpoints (thread, ns, id, versions, body, metadata)
    SELECT '1', '', printf('%06d', i), '{}', '{"v":4,"ts":"","versions_seen":{}}', json_object('step', i) FROM n`);
  const sql = checkpointStatements(db);
  let read = 0;
  const listed = (by: Selection, limit: number) => {
    const rows = sql.listed(by, limit);
    read += rows.length;
    return rows;
  };
  const saver = new SqliteSaver({ ...sql, listed }, commit);
  const config = { configurable: { thread_id: '1', checkpoint_ns: '' } };

  const first = await Array.fromAsync(saver.list(config, { limit: 250 }));
  expect(first.map(({ metadata }) => metadata?.step)).toEqual(
    Array.from({ length: 250 }, (_, index) => count - index),
  );
  expect(read).toBeLessThan(1_000);

  let turns = 0;
  const other = setInterval(() => turns++, 0);
  expect(await Array.fromAsync(saver.list(config, { filter: { step: 1 } }))).toHaveLength(1);
  clearInterval(other);
  expect(turns).toBeGreaterThan(0);
  await close();
});
