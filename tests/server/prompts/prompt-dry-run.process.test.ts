/** Dry runs: the last turns are repeated with another text of a prompt file, and nothing is stored. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { type ChatRequest, scriptedProvider } from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';
import { askState, tablesOf } from '../../support/stored-state.ts';
import { callOf, conversationOf, echoing, failure, questionOf } from '../support/calls.ts';
import { ANN, BOB, protectedConfig } from '../support/credentials.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { type RunningService, runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

const SUPPORT = 'classification-agent.support_responder.jinja';
const never = () => new Promise<Response>(() => {});
type At = Pick<RunningService, 'fetch'>;
// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
type Chatted = any;

function dryRun(
  at: At,
  body: object,
  { name = `default/${SUPPORT}`, headers = {}, signal = undefined as AbortSignal | undefined } = {},
) {
  return answerOf(
    at.fetch(`/api/v1/prompts/dry-run/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ turns: 20, ...body }),
      signal: signal ?? null,
    }),
  );
}

async function update(at: At, name: string, content: string) {
  const response = await at.fetch(`/api/v1/prompts/update/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content }),
  });
  expect(response.status).toBe(200);
}

/** Answers with the first line of its system prompt and the question. */
const telling = (request: ChatRequest) =>
  `${request.messages[0]?.content.split('\n')[0]?.slice(0, 12)} | ${questionOf(request)}`;

/** All rows of the service's database, except the heartbeats of servers. */
async function rowsIn(folder: string): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const table of await tablesOf(folder))
    if (table !== 'servers') rows[table] = await askState(folder, `SELECT * FROM ${table}`);
  return rows;
}

describe('a caller’s turns', () => {
  const provider = runningProvider();
  const service = runningService(provider);
  const chat = async (user_prompt: string, thread_id: string) =>
    (await service.chat({ user_prompt, thread_id })).body;

  test('are repeated with the new text, each with the memory that it had', async () => {
    provider.script = echoing({ answer: telling });
    const turns: Chatted[] = [];
    for (const question of ['one', 'two', 'three']) turns.push(await chat(question, 'memory'));
    provider.requests.length = 0;
    const { status, body } = await dryRun(service, { content: 'NEW {{ category.name }}', turns: 2 });
    expect(status).toBe(200);
    expect(body).toEqual({
      workflow_turns: ['three', 'two'].map((user_prompt, index) => ({
        message_id: turns[2 - index].message_id,
        workflow: 'classification-agent',
        user_prompt,
        before: turns[2 - index].agent_response,
        after: turns[2 - index].agent_response.replace(
          /(support_responder: ).*/s,
          `$1NEW support | ${user_prompt}`,
        ),
        token_count: 60,
        interrupt: null,
        error: null,
      })),
    });
    const answering = provider.requests.filter((request) => callOf(request) === 'answer');
    const answers = turns.map(({ outputs }) => outputs[1].content);
    const seen = answering.map(conversationOf).sort((a, b) => a.length - b.length);
    expect(seen).toEqual([
      ['one', answers[0], 'two'],
      ['one', answers[0], 'two', answers[1], 'three'],
    ]);
  });

  test('leave no trace: not a row of the database changes, and the file is unchanged', async () => {
    await chat('before', 'trace');
    // Runs are added to the search index in the background.
    await service.fetch('/api/v1/search?q=before');
    const before = await rowsIn(service.folder);
    expect(Object.values(before).flat().length).toBeGreaterThan(10);
    const { body } = await dryRun(service, { content: 'NEW' });
    expect(body.workflow_turns.length).toBeGreaterThan(0);
    expect(await rowsIn(service.folder)).toEqual(before);
    provider.requests.length = 0;
    await chat('after', 'trace');
    const answering = provider.requests.find((request) => callOf(request) === 'answer');
    expect(answering?.messages[0]?.content).not.toContain('NEW');
    expect(answering && conversationOf(answering)).toEqual(['before', 're: before', 'after']);
  });

  test('that fail have their error, and the others are answered', async () => {
    for (const question of ['good', 'bad']) await chat(question, `fails-${question}`);
    provider.script = echoing({
      answer: (request: ChatRequest) => (questionOf(request) === 'bad' ? failure(400) : 'fine'),
    });
    const { status, body } = await dryRun(service, { content: 'NEW', turns: 2 });
    expect(status).toBe(200);
    const [bad, good] = body.workflow_turns;
    expect(bad).toMatchObject({ after: '', error: { error_code: 'MODEL_CALL_FAILED' } });
    expect(good).toMatchObject({ after: expect.stringContaining('fine'), error: null });
  });

  test('each fail if the text cannot be rendered with their variables', async () => {
    await chat('loop', 'loop');
    const content = `${'{% for i in range(9999) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}`;
    const { body } = await dryRun(service, { content, turns: 1 });
    expect(body.workflow_turns[0].error).toMatchObject({
      error_code: 'CONFIGURATION_ERROR',
      detail: expect.stringContaining('rendering takes longer than 250 ms'),
    });
  });

  test('are only those that rendered the file', async () => {
    const name = 'default/sql-manipulation-agent.sql_manipulation_agent.answer.jinja';
    expect((await dryRun(service, { content: 'x' }, { name })).body).toEqual({ workflow_turns: [] });
    // Another agent has answered them.
    const unused = 'default/classification-agent.feedback_responder.jinja';
    expect((await dryRun(service, { content: 'x' }, { name: unused })).body).toEqual({ workflow_turns: [] });
    await update(service, 'v1/other.md', 'x');
    expect((await dryRun(service, { content: 'x' }, { name: 'v1/other.md' })).body).toEqual({
      workflow_turns: [],
    });
  });

  test('are all turns of the caller if the file is the one of summaries', async () => {
    provider.script = echoing({ answer: telling });
    await chat('latest', 'summaries');
    const name = 'default/conversation.summary.jinja';
    const { status, body } = await dryRun(service, { content: 'NEW', turns: 1 }, { name });
    expect(status).toBe(200);
    expect(body.workflow_turns.map((turn: Chatted) => turn.user_prompt)).toEqual(['latest']);
  });

  test('require a file of the revision or of default', async () => {
    for (const file of ['none.jinja', 'a.exe', 'a..md', '%zz.md', '%c0%ae.md']) {
      for (const revision of ['default', 'v1']) {
        const pending = dryRun(service, { content: 'x' }, { name: `${revision}/${file}` });
        const { detail } = expectRefused(await pending, 404, 'PROMPT_NOT_FOUND');
        expect(detail).toBe(`prompt file '${file.replaceAll('%', '?')}' of revision '${revision}'`);
      }
    }
    expect((await dryRun(service, { content: 'x' }, { name: `v-new/${SUPPORT}` })).status).toBe(200);
    expectRefused(
      await dryRun(service, { content: 'x' }, { name: `v..1/${SUPPORT}` }),
      404,
      'PROMPT_NOT_FOUND',
    );
  });

  test('use the other files of a named revision, otherwise those of the workflow', async () => {
    provider.script = echoing({
      classification: (request: ChatRequest) => ({
        category: 'support',
        topic: telling(request),
        sentiment: { label: 'neutral', score: 0 },
        confidence: 1,
        explanation: 'x',
      }),
    });
    await chat('revision', 'revision');
    await update(service, 'v7/classification-agent.classification_agent.jinja', 'SEVEN');
    const topic = async (name: string) =>
      (await dryRun(service, { content: 'x', turns: 1 }, { name })).body.workflow_turns[0].after;
    expect(await topic(`v7/${SUPPORT}`)).toContain('topic "SEVEN');
    expect(await topic(`default/${SUPPORT}`)).not.toContain('SEVEN');
  });

  test('require a valid text, and a number from 1 to 20', async () => {
    const refused = expectRefused(
      await dryRun(service, { content: '{{ customer }}' }),
      400,
      'PROMPT_INVALID',
    );
    expect(refused.detail).toContain("the variable 'customer' is undefined; there are: category");
    for (const turns of [0, 21, 1.5, '5'])
      expectRefused(await dryRun(service, { content: 'x', turns }), 400, 'INVALID_REQUEST');
    expectRefused(await dryRun(service, { turns: 1 }), 400, 'INVALID_REQUEST');
  });

  test('of a thread that is deleted during the dry run are neither returned nor sent to a model', async () => {
    for (let turn = 0; turn < 6; turn++) await chat(`${turn}`, turn % 2 === 0 ? 'going' : 'staying');
    const open = Promise.withResolvers<void>();
    const questions: string[] = [];
    provider.script = echoing({
      answer: async (request: ChatRequest) => {
        questions.push(questionOf(request));
        await open.promise;
        return 'again';
      },
    });
    const answering = dryRun(service, { content: 'NEW', turns: 6 });
    await until(() => questions.length === 4);
    const deleted = await service.fetch('/api/v1/threads/going', { method: 'DELETE' });
    expect(deleted.status).toBe(204);
    open.resolve();
    const { status, body } = await answering;
    expect(status).toBe(200);
    const prompts = body.workflow_turns.map((turn: Chatted) => turn.user_prompt);
    expect(prompts).toEqual(['5', '3', '1']);
    // Four were running when it was deleted.
    expect(questions.sort()).toEqual(['1', '2', '3', '4', '5']);
  });

  test('are aborted when the client disconnects', async () => {
    await chat('gone', 'gone');
    provider.requests.length = 0;
    provider.script = echoing({ answer: never });
    const client = new AbortController();
    const pending = dryRun(service, { content: 'x', turns: 1 }, { signal: client.signal });
    await until(() => provider.requests.length === 2, 10_000);
    expectRefused(await dryRun(service, { content: 'x' }), 503, 'OVERLOADED');
    client.abort();
    expect(await pending.catch(({ name }) => name)).toBe('AbortError');
    await until(() => provider.aborted === 1, 10_000);
    provider.script = echoing();
    await until(async () => (await dryRun(service, { content: 'x', turns: 1 })).status === 200, 10_000);
  });
});

test('turns of other callers are never repeated', async () => {
  const { provider, service, close } = await opened(protectedConfig());
  await service.chat({ user_prompt: 'mine' }, ANN);
  await service.chat({ user_prompt: 'yours' }, BOB);
  provider.requests.length = 0;
  const { body } = await dryRun(service, { content: 'NEW' }, { headers: BOB });
  expect(body.workflow_turns.map((turn: { user_prompt: string }) => turn.user_prompt)).toEqual(['yours']);
  expect(JSON.stringify(provider.requests)).not.toContain('mine');
  expectRefused(await dryRun(service, { content: 'NEW' }), 401, 'UNAUTHORIZED');
  await close();
});

test('a dry run has the deadline and the budget of a run', async () => {
  const { provider, service, close } = await opened('limits: {run_seconds: 1, run_tokens: 1000}');
  for (const thread_id of ['a', 'b']) await service.chat({ user_prompt: 'x', thread_id });
  const content = 'word '.repeat(2_000);
  expectRefused(await dryRun(service, { content }), 500, 'BUDGET_EXCEEDED');
  provider.script = echoing({ answer: never });
  expectRefused(await dryRun(service, { content: 'x' }), 500, 'RUN_TIMEOUT');
  await close();
});

test('turns whose checkpoints have been pruned are left out', async () => {
  const { service, close } = await opened('chat_history: {checkpoints_per_thread: 1}');
  for (let n = 1; n <= 9; n++) await service.chat({ user_prompt: `turn ${n}`, thread_id: 'long' });
  const { body } = await dryRun(service, { content: 'NEW' });
  expect(body.workflow_turns.map((turn: { user_prompt: string }) => turn.user_prompt)).toEqual(['turn 9']);
  await close();
});

const ASKING = `
export default workflow({
  description: 'Asks a person.',
  agents: () => [{ name: 'clerk', description: 'Asks' }],
  example: 'Ask.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('clerk', agent('clerk', async (state, { answer, prompt }) => {
        const draft = await answer(await prompt());
        return { content: draft.content + ' ' + interrupt({ draft: draft.content }), update: draft.update };
      }))
      .addEdge(START, 'clerk').addEdge('clerk', END),
});`;
const MAILING = ASKING.replace('description:', 'changesOutside: true,\n  description:');

describe('workflows of a project', () => {
  const provider = runningProvider();
  const service = runningService(provider, '', { asking: ASKING, mailing: MAILING });

  test('that ask a person show the question, and open interrupts stay open', async () => {
    provider.script = echoing({ answer: telling });
    await Bun.write(join(service.folder, '.files/prompts/default/asking.clerk.jinja'), 'OLD');
    const ask = { conversation_flow: 'asking', thread_id: 'asks' };
    await service.chat({ ...ask, user_prompt: 'first' });
    const resumed = await answerOf(
      service.fetch('/api/v1/threads/asks/resume', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"value": "yes"}',
      }),
    );
    expect(resumed.body.agent_response).toBe('OLD | first yes');
    await service.chat({ ...ask, user_prompt: 'second' });
    // Runs are added to the search index in the background.
    await service.fetch('/api/v1/search?q=before');
    const before = await rowsIn(service.folder);
    const { body } = await dryRun(service, { content: 'NEW' }, { name: 'default/asking.clerk.jinja' });
    expect(body.workflow_turns).toEqual([
      expect.objectContaining({
        message_id: resumed.body.message_id,
        user_prompt: 'first',
        before: 'OLD | first yes',
        after: '',
        interrupt: { draft: 'NEW | first' },
      }),
    ]);
    expect(await rowsIn(service.folder)).toEqual(before);
  });

  test('with external effects are not run', async () => {
    await update(service, 'default/mailing.clerk.jinja', 'x');
    const answer = await dryRun(service, { content: 'x' }, { name: 'default/mailing.clerk.jinja' });
    const { detail } = expectRefused(answer, 400, 'INVALID_REQUEST');
    expect(detail).toContain("the workflow 'mailing' changes something outside of the conversation");
  });
});

test('queries run again, read-only, with the new text', async () => {
  const { provider, service, close } = await opened('', { SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' });
  provider.script = echoing({
    sql: { sql: 'SELECT count(*) AS n FROM products', explanation: 'Counts.', tables: [] },
    answer: telling,
  });
  const turn = await service.chat({ user_prompt: 'How many?', conversation_flow: 'sql-manipulation-agent' });
  const [, table] = turn.body.agent_response.split('```sql');
  const name = 'default/sql-manipulation-agent.sql_manipulation_agent.answer.jinja';
  for (let times = 0; times < 2; times++) {
    const { body } = await dryRun(service, { content: 'NEW {{ result }}' }, { name });
    const [{ after, error }] = body.workflow_turns;
    expect({ after, error }).toEqual({ after: expect.stringContaining(`\`\`\`sql${table}`), error: null });
    expect(after).toStartWith('NEW');
  }
  await close();
});

async function opened(config: string, env: Record<string, string> = {}) {
  const provider = scriptedProvider(echoing());
  const service: TestService = await testService({ env: { ...providerEnv(provider.url), ...env }, config });
  const close = async () => {
    await service.close();
    await provider.close();
  };
  return { provider, service, close };
}
