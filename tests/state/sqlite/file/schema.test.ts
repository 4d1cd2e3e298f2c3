/** Migrations of files of earlier versions keep all data. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAT } from '../../../../runtime/journal/chat-events.ts';
import { MIGRATIONS } from '../../../../state/sqlite/file/schema.ts';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import { storedTurn } from '../../../contracts/turn.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-schema-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('migrates a file of version 1, with owners of runs and failed threads', async () => {
  const path = join(folder, 'one.db');
  const old = new Database(path, { create: true });
  old.run(MIGRATIONS[0] ?? '');
  old.run('PRAGMA user_version = 1');
  for (const [key, owner] of [
    [1, 'ann'],
    [2, 'bob'],
  ] as const) {
    old
      .query(
        `INSERT INTO threads (key, owner, thread_id, title, workflow, created_at, updated_at)
         VALUES (?, ?, 't', 'T', 'w', 1, 2)`,
      )
      .run(key, owner);
  }
  const insert = old.query(
    `INSERT INTO runs (run_id, thread, message_id, workflow, status, request, created_at, started_at, finished_at)
     VALUES (?, ?, 'm', 'w', ?, '{"userPrompt":"q"}', ?, 1, ?)`,
  );
  insert.run('r1', 1, 'succeeded', 1, 2);
  insert.run('r2', 1, 'failed', 3, 4);
  insert.run('r3', 2, 'failed', 1, 2);
  insert.run('r4', 2, 'succeeded', 3, 4);
  old.close();

  const state = openSqlite({ path, checkpointsPerThread: 20 });
  expect((await state.archive.threads.find('ann', 't'))?.status).toBe('error');
  expect((await state.archive.threads.find('bob', 't'))?.status).toBe('idle');
  const { items } = await state.archive.runs({ owner: 'ann' }, { limit: 5 });
  expect(items.map(({ runId }) => runId)).toEqual(['r2', 'r1']);
  await storedTurn(state);
  expect((await state.archive.threads.find('ann', 't'))?.status).toBe('idle');
  await state.close();
  const file = new Database(path, { readonly: true });
  expect(file.query('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length });
  expect(file.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  file.close();
});

const CALL =
  '{"model":"m","task":"answer","started_at":"s","duration_ms":1.5,"first_token_ms":null,"attempt":1,"input_tokens":3,"output_tokens":4}';

/** Rows of a log as stored before schema version 6: chat events as JSON. */
const STORED = {
  r1: [
    [
      '{"event":"run","data":{"run_id":"r1","thread_id":"t","message_id":"m","workflow":"w"}}',
      '{"event":"agent","data":{"agent":"clerk","state":"started","attempt":1}}',
      '{"event":"status","data":{"agent":"clerk","text":"look up","step":"look_up","state":"started"}}',
    ],
    [
      '{"event":"status","data":{"agent":"clerk","text":"look up","step":"look_up","state":"finished","started_at":"s","duration_ms":0}}',
      `{"event":"status","data":{"agent":"clerk","text":"tell","step":"tell","state":"failed","started_at":"s","duration_ms":2,"prompts":[],"calls":[${CALL}]}}`,
      '{"event":"status","data":{"agent":"clerk","text":"state: \\"started\\""}}',
      `{"event":"agent","data":{"agent":"clerk","state":"finished","attempt":2,"started_at":"s","duration_ms":9,"usage":{"input_tokens":3,"output_tokens":4},"prompts":[],"calls":[${CALL}]}}`,
    ],
  ],
  r2: [
    ['{"event":"run","data":{"run_id":"r2","thread_id":"t","message_id":"m","workflow":"w"}}'],
    [
      '{"event":"token","data":{"agent":"a","text":"\\u0000 \\ud800 \u2028 \\"🚲\\n\\\\ \\u0001"}}',
      // In the form of the first versions.
      '{"event":"agent","data":{"agent":"a","state":"failed","attempt":1,"duration_ms":5}}',
      '{"event":"interrupt","data":{"interrupt_id":"i","value":{"state":"started","step":null,"n":1e21}}}',
      '{"event":"error","data":{"status":"error","message":"x","error_code":"INTERNAL_ERROR","timestamp":"t","request_id":"r"}}',
      '{"event":"response","data":null}',
      '{"event":"end","data":{}}',
    ],
  ],
};

test('migrated logs of chat events are read as chat sent them, and can be continued', async () => {
  const path = join(folder, 'five.db');
  const old = new Database(path, { create: true });
  for (const migration of MIGRATIONS.slice(0, 5)) old.run(migration);
  old.run('PRAGMA user_version = 5');
  old.run(
    `INSERT INTO threads (key, owner, thread_id, title, workflow, created_at, updated_at)
     VALUES (1, 'ann', 't', 'T', 'w', 1, 2), (2, 'ann', 'quiet', 'T', 'w', 1, 2)`,
  );
  const run = old.query(
    `INSERT INTO runs (run_id, owner, thread, message_id, workflow, status, request, created_at)
     VALUES (?, 'ann', 1, 'm', 'w', 'running', '{"userPrompt":"q"}', 1)`,
  );
  for (const id of ['r1', 'r2', 'broken']) run.run(id);
  const insert = old.query(
    'INSERT INTO events (run_id, first, last, body, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  // Interleaved batches of the runs.
  for (const index of [0, 1])
    for (const [id, batches] of Object.entries(STORED)) {
      const first = index === 0 ? 1 : (batches[0]?.length ?? 0) + 1;
      const events = batches[index] ?? [];
      insert.run(id, first, first + events.length - 1, `[${events.join()}]`, 1_000 + index);
    }
  insert.run('broken', 1, 2, '[{"event":"to', 1_002);
  old.close();

  const state = openSqlite({ path, checkpointsPerThread: 20 });
  for (const [id, batches] of Object.entries(STORED)) {
    const shown = (await state.events.read(id, { chat: 0 }, 10)).map(CHAT.of);
    expect(shown.flatMap(({ events }) => events.map((event) => JSON.stringify(event)))).toEqual(
      // In the form in which it was sent, with fields that were added later.
      batches.flat().map((event) => JSON.stringify(shownNow(JSON.parse(event)))),
    );
    expect(shown.map(({ first, last }) => [first, last])).toEqual(
      (await state.events.read(id, { entry: 0 }, 10)).map(({ first, last }) => [first, last]),
    );
  }
  expect(await state.events.read('broken', { chat: 0 }, 10)).toMatchObject([{ entries: [] }]);
  await state.events.append(
    { runId: 'r1', number: (await state.runs.find('ann', 'r1'))?.lease ?? 0 },
    () => [{ first: 8, last: 8, chat: { first: 8, last: 8 }, entries: [{ at: 1, kind: 'end', body: {} }] }],
    'now',
  );
  const ofThread = await state.events.readThread('1', 0, 10);
  expect(ofThread.map(({ runId, first, seq }) => [runId, first, seq])).toEqual([
    ['r1', 1, 1],
    ['r2', 1, 4],
    ['r1', 4, 5],
    ['r2', 2, 9],
    ['broken', 1, 15],
    ['r1', 8, 17],
  ]);
  expect(ofThread[0]?.entries[1]).toMatchObject({
    ...{ at: 1_000, kind: 'task' },
    body: { agent: 'clerk', attempt: 1 },
  });
  await state.close();
  const file = new Database(path, { readonly: true });
  expect(file.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  file.close();
});

function shownNow({ event, data }: { event: string; data: Record<string, unknown> }) {
  if (event !== 'agent') return { event, data };
  const { agent, state, attempt, ...more } = data;
  return { event, data: { agent, path: [], state, attempt, execution: 1, ...more } };
}
