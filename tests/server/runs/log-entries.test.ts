/** The log of a run beyond the view of chat: LangGraph's tasks, messages and checkpoints with their locations. */
import { expect, test } from 'bun:test';
import type { LogEntry } from '../../../state/threads/events.ts';
import { askState } from '../../support/stored-state.ts';
import { runningProvider, runningService } from '../support/running.ts';

const STEPS = `
export default workflow({
  description: 'Drafts, asks, and sends.', example: 'Hello',
  agents: () => [{ name: 'clerk', description: 'C' }, { name: 'closer', description: 'D' }],
  build: ({ agent, agentGraph }) => new StateGraph(Conversation)
    .addNode(...agentGraph('clerk', (step) => new StateGraph(AgentWork)
      .addNode('write', step('write', async (_state, { answer, status }) => {
        status('drafting');
        await answer('You draft.');
        return {};
      }))
      .addNode('send', step('send', async () => ({ result: { content: 'Sent: ' + interrupt('Send it?'), data: null } })))
      .addEdge(START, 'write').addEdge('write', 'send').addEdge('send', END)))
    .addNode('closer', agent('closing_agent', async (_state, { answer }) => answer('You close.')))
    .addEdge(START, 'clerk').addEdge('clerk', 'closer').addEdge('closer', END),
});`;
const FAILING = `
export default workflow({
  description: 'Fails.', example: 'Hello', agents: () => [{ name: 'breaker', description: 'B' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('breaker', agent('breaker', async () => { throw new Error('a secret of the database'); }))
    .addEdge(START, 'breaker').addEdge('breaker', END),
});`;

const service = runningService(runningProvider(), '', { steps: STEPS, failing: FAILING });

async function run(path: string, body: object): Promise<{ runId: string; entries: LogEntry[] }> {
  const response = await service.fetch(`/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const runId = /"run_id":"([^"]+)"/.exec(await response.text())?.[1] ?? '';
  const rows = await askState<{ body: string }>(
    service.folder,
    'SELECT body FROM events WHERE run_id = $1 ORDER BY first',
    runId,
  );
  return { runId, entries: rows.flatMap(({ body }) => JSON.parse(body)) };
}

/** A short form of an entry: its kind, its location and its content. */
function sketch({ kind, ns = [], node, step, body }: LogEntry): string {
  const names = [...ns.map((part) => part.split(':')[0]), node].filter((name) => name !== undefined);
  const { state, next, delta, text } = body as Record<string, string | string[] | undefined>;
  const shown = state ?? delta ?? text ?? (next && `> ${next}`) ?? '';
  return [kind, names.join('/'), step, shown].filter((word) => word !== '' && word !== undefined).join(' ');
}

const isPlaced = ({ kind }: LogEntry) =>
  ['task', 'task_end', 'message', 'status', 'checkpoint'].includes(kind);

test('tasks, texts and checkpoints are logged in order, with their graph, node and step', async () => {
  const ask = { user_prompt: 'hello', thread_id: 'steps', conversation_flow: 'steps' };
  const first = await run('/chat', ask);
  expect(first.entries.filter(isPlaced).map(sketch)).toEqual([
    ...['checkpoint -1 > __start__', 'checkpoint 0 > clerk', 'task clerk 1'],
    ...['checkpoint clerk -1 > __start__', 'checkpoint clerk 0 > write', 'task clerk/write 1'],
    ...[
      'status clerk/write 1 drafting',
      'message clerk/write 1 re: hello',
      'task_end clerk/write 1 finished',
    ],
    ...['checkpoint clerk 1 > send', 'task clerk/send 2', 'task_end clerk/send 2 interrupted'],
    'task_end clerk 1 interrupted',
  ]);
  const second = await run('/threads/steps/resume', { value: 'yes' });
  expect(second.entries.filter(isPlaced).map(sketch)).toEqual([
    ...['task clerk 1', 'task clerk/send 2', 'task_end clerk/send 2 finished', 'checkpoint clerk 2 > '],
    ...[
      'task_end clerk 1 finished',
      'checkpoint 1 > closer',
      'task closer 2',
      'message closer 2 re: Sent: yes',
    ],
    ...['task_end closer 2 finished', 'checkpoint 2 > '],
  ]);

  const { entries } = first;
  const tasks = new Map(entries.flatMap((entry) => (entry.kind === 'task' ? [[entry.node, entry]] : [])));
  const [clerk, write] = [tasks.get('clerk'), tasks.get('write')];
  expect(clerk?.taskId).toMatch(/^[0-9a-f-]{36}$/);
  expect(clerk?.body).toEqual({ triggers: ['branch:to:clerk'], from: ['__start__'] });
  expect(write).toMatchObject({ ns: [`clerk:${clerk?.taskId}`], body: { agent: 'clerk', part: 'write' } });
  const ended = entries.flatMap((entry) =>
    entry.kind === 'task_end' && entry.node === 'clerk' ? [entry] : [],
  );
  expect(ended).toMatchObject([{ taskId: clerk?.taskId, body: { interrupts: [expect.any(String)] } }]);
  const interrupt = entries.find(({ kind }) => kind === 'interrupt');
  expect(interrupt?.body).toMatchObject({ interrupt_id: ended[0]?.body.interrupts?.[0] });
  // The agent's name if its node has a different one.
  expect(second.entries.find(({ kind, node }) => kind === 'task' && node === 'closer')?.body).toMatchObject({
    agent: 'closing_agent',
  });
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => a - b));
});

test('each checkpoint of a run has an entry, and a message has the id that it has in the state', async () => {
  const { runId, entries } = await run('/chat', {
    ...{ user_prompt: 'hi', thread_id: 'closes', conversation_flow: 'classification-agent' },
  });
  const noted = entries.flatMap((entry) => (entry.kind === 'checkpoint' ? [entry] : []));
  const rows = await askState<{ id: string; parent: string | null; ns: string }>(
    service.folder,
    'SELECT id, parent, ns FROM checkpoints WHERE run_id = $1 ORDER BY id',
    runId,
  );
  expect(noted.map(({ checkpointId, body, ns = [] }) => [checkpointId, body.parent, ns.join('|')])).toEqual(
    rows.map(({ id, parent, ns }) => [id, parent, ns]),
  );
  const messageIds = entries.flatMap((entry) => (entry.kind === 'message' ? [entry.body.id] : []));
  const values = await askState<{ value: string }>(
    service.folder,
    `SELECT value FROM checkpoint_values WHERE channel = 'messages' AND thread = (
       SELECT thread FROM checkpoints WHERE run_id = $1 LIMIT 1) ORDER BY version DESC LIMIT 1`,
    runId,
  );
  expect(new Set(messageIds).size).toBe(1);
  expect(values[0]?.value).toContain(messageIds[0] ?? 'none');
});

test('a failed task has the code of its error, and nothing of the thrown message', async () => {
  const { entries } = await run('/chat', { user_prompt: 'hi', conversation_flow: 'failing' });
  const ended = entries.find(({ kind }) => kind === 'task_end');
  expect(ended?.body).toMatchObject({
    state: 'failed',
    error: { error_code: 'INTERNAL_ERROR', message: expect.stringMatching(/./) },
  });
  expect(JSON.stringify(entries)).not.toContain('secret');
});
