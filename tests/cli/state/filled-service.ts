/** A service whose state has rows in every table, and the dumps of a state. */
import { Database } from 'bun:sqlite';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { SQL } from 'bun';
import { type RunRow, toRun } from '../../../state/driver/rows.ts';
import { type TestService, testService } from '../../support/service.ts';

const TALK = `
const State = Annotation.Root({ messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }), n: Annotation() });
export default new StateGraph(State)
  .addNode('say', ({ messages }) => ({ messages: [new AIMessage(messages.length + ': ' + 'word '.repeat(200))] }))
  .addEdge(START, 'say').compile();`;

const ASKS = `
export default new StateGraph(Annotation.Root({ n: Annotation(), answer: Annotation() }))
  .addNode('first', () => ({ n: 1 }))
  .addNode('ask', () => ({ answer: interrupt({ question: 'Go on?' }) }))
  .addEdge(START, 'first').addEdge('first', 'ask').compile();`;

const WAITS = `
import { existsSync } from 'node:fs';
export default new StateGraph(Annotation.Root({ n: Annotation(), file: Annotation() }))
  .addNode('first', () => ({ n: 1 }))
  .addNode('wait', async ({ n, file }, { signal }) => {
    while (!existsSync(file)) { signal.throwIfAborted(); await Bun.sleep(10); }
    return { n: n + 1 };
  })
  .addEdge(START, 'first').addEdge('first', 'wait').compile();`;

// Nothing listens there, so the deliveries wait.
const CONFIG = 'webhooks: {allowed_hosts: [127.0.0.1]}\nbudgets: [{per: day, tokens: 100000000}]';
const NOBODY = 'http://127.0.0.1:9/hook';

export const onPostgres = (url: string): Record<string, string> => ({
  SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
  SERVICE_CHAT_HISTORY__CONNECTION_STRING: url,
  SERVICE_CHAT_HISTORY__POOL_SIZE: '4',
  SERVICE_CLUSTER__LEASE_SECONDS: '1',
});

/** Starts a service with the workflows of this file, in a new folder or a given one. */
export async function talkingService(
  env: Record<string, string> = {},
  folder = newFolder(),
): Promise<TestService> {
  return testService({ folder, env, config: CONFIG, graphs: { talk: TALK, asks: ASKS, waits: WAITS } });
}

export const newFolder = () => mkdtempSync(join(tmpdir(), 'skein-state-tools-'));
export const stateFile = ({ folder }: Pick<TestService, 'folder'>) => join(folder, '.tmp/skein.db');

export const clientOf = ({ url }: Pick<TestService, 'url'>) =>
  new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 } });

export async function fill(service: TestService): Promise<void> {
  const client = clientOf(service);
  for (const word of ['one', 'two', 'three'])
    await service.chat({
      conversation_flow: 'talk',
      thread_id: 'talk',
      user_prompt: `${word} ${'long '.repeat(300)}`,
    });
  await service.chat({ thread_id: 'chat', user_prompt: 'My bike broke' }, { 'idempotency-key': 'once' });
  const { body } = await service.chat({ thread_id: 'chat', user_prompt: 'It squeaks' });
  await service.fetch(`/api/v1/messages/${body.message_id}/feedback`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rating: 4, comment: 'Good', tags: ['x'] }),
  });
  await service.chat({ conversation_flow: 'asks', thread_id: 'asks', input: { n: 0 } });
  const listed = await service.fetch('/api/v1/threads/chat/checkpoints');
  const { checkpoints } = (await listed.json()) as { checkpoints: { checkpoint_id: string }[] };
  await service.fetch('/api/v1/threads/chat/fork', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ checkpoint_id: checkpoints[0]?.checkpoint_id, thread_id: 'fork' }),
  });
  const { thread_id } = await client.threads.create({ metadata: { team: 'x' }, ttl: 60 });
  await client.runs.wait(thread_id, 'talk', {
    ...{ input: { messages: [{ role: 'user', content: 'Hello' }] }, webhook: NOBODY },
  });
  await client.threads.updateState(thread_id, { values: { n: 7 } });
  await client.runs.create(thread_id, 'talk', { input: { n: 1 }, afterSeconds: 3_600 });
  await client.threads.copy(thread_id);
  const assistant = await client.assistants.create({ graphId: 'talk', name: 'Talker', metadata: { a: 1 } });
  await client.assistants.update(assistant.assistant_id, { name: 'Chatter' });
  await client.crons.create('talk', { schedule: '0 0 1 1 *', input: { n: 1 } });
  await client.store.putItem(['people', 'ann'], 'note', { likes: 'rain' });
  await client.store.putItem(['people', 'bo'], 'gone', { likes: 'sun' });
  await client.store.deleteItem(['people', 'bo'], 'gone');
}

// Rows that no request of these tests writes, and the log numbers of threads, which PostgreSQL always stores in their rows.
const MORE = `
  INSERT INTO spent_tokens VALUES ('token', 5, 6);
  INSERT INTO document_authors VALUES ('a.md', 'ann');
  INSERT INTO cron_threads VALUES ('r', 'ann', 'talk');
  INSERT INTO item_vectors SELECT min(seq), 'words', 2, x'00ff017f00000080' FROM items;
  INSERT INTO feedback SELECT min(message_id), '{"comment":"Good"}' FROM messages WHERE true ON CONFLICT DO NOTHING;
  INSERT INTO checkpoint_deltas VALUES ('000000000001', '', '1f', NULL, '{"log":1}', '[["t","log","x"]]');
  UPDATE threads SET last_seq = max(last_seq, coalesce((SELECT max(seq) FROM events WHERE thread = threads.key), 0));
`;

export function addRows(path: string): void {
  const db = new Database(path);
  db.run(MORE);
  db.close();
}

const WITHOUT = new Set([
  'copies',
  'sqlite_sequence',
  'sqlite_stat1',
  'sqlite_stat4',
  'migrations',
  'servers',
  'sweeps',
  'retention_hour',
  // Rebuilt from the runs.
  'search_entries',
  ...['', '_config', '_content', '_data', '_docsize', '_idx'].map((part) => `search_words${part}`),
]);

export type Dump = Record<string, string[]>;

/** Every row of every table, with its row number if the table has one. */
export function dumpOfFile(path: string): Dump {
  const db = new Database(path, { readonly: true });
  const names = db.query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  const dump: Dump = {};
  for (const { name } of names.filter(({ name }) => !WITHOUT.has(name)))
    dump[name] = db
      .query(`SELECT ${name === 'runs' ? 'rowid AS row, *' : '*'} FROM ${name}`)
      .all()
      .map(line)
      .sort();
  dump.sequence = db
    .query("SELECT name, seq FROM sqlite_sequence WHERE name <> 'search_entries'")
    .all()
    .map(line);
  db.close();
  return dump;
}

export async function dumpOfDatabase(url: string): Promise<Dump> {
  const sql = new SQL({ url, max: 1 });
  const tables = await sql.unsafe(`SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'skein' AND table_type = 'BASE TABLE'`);
  const dump: Dump = {};
  for (const { name } of tables.filter(({ name }: { name: string }) => !WITHOUT.has(name)))
    dump[name] = (await sql.unsafe(`SELECT * FROM skein.${name}`)).map(essence).map(line).sort();
  dump.sequences = (
    await sql.unsafe(`SELECT sequencename, last_value FROM pg_sequences
      WHERE schemaname = 'skein' AND sequencename NOT LIKE 'search%'`)
  )
    .map(line)
    .sort();
  await sql.close({ timeout: 0 });
  return dump;
}

/** The rows without leases and without the remains of answered interrupts. */
function essence({
  server,
  left_by,
  held_until,
  held_by,
  closed_by,
  writes,
  ...row
}: Record<string, unknown>) {
  if (row.interrupt === null)
    Object.assign(row, { interrupt_run: null, interrupt_since: null, interrupt_writes: null });
  // Drops stored fields of the run that no code reads.
  if ('delivery_id' in row && typeof row.run === 'string') row.run = toRun(JSON.parse(row.run) as RunRow);
  return row;
}

function line(row: unknown): string {
  return JSON.stringify(row, (key, value) => {
    if (key === 'searchable') return undefined;
    return value instanceof Uint8Array || value?.type === 'Buffer'
      ? Buffer.from(value).toString('hex')
      : value;
  });
}
