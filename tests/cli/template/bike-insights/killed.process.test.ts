/** bike-insights after `kill -9`: the run continues after its finished agents, and reads its document again. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { blocksOf, callOf } from '../../../server/support/calls.ts';
import { until } from '../../../server/support/until.ts';
import { spawnService } from '../../../support/process.ts';
import { type ChatRequest, scriptedProvider } from '../../../support/provider.ts';
import { providerEnv } from '../../../support/service.ts';
import { templateProject } from '../../../support/template.ts';
import { SPECIFIED } from './documents.ts';

// Services and databases are processes, which start slowly on a busy machine.
setDefaultTimeout(180_000);
const PATIENCE = 60_000;

const provider = scriptedProvider();
const folder = templateProject();
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

const QUESTIONS = {
  education_expert: 'What is to be learnt?',
  knowledge_base_agent: 'What do we know of saddles?',
  sql_manipulation_agent: 'How many reviews are there?',
};

const isSqlAnswer = (request: ChatRequest) => blocksOf(request).includes('<query_result>');

/** The model answers about the query's rows only if `answers` is set. */
function analyst(answers: boolean) {
  provider.script = (request) => {
    const call = callOf(request) as string;
    if (call === 'sentiments') return { texts: [1, 2].map((n) => ({ n, score: 0.5 })) };
    if (call === 'classification_of_document')
      return { category: 'sales_performance', topic: 'sales', explanation: 'Because.', questions: QUESTIONS };
    if (call === 'sql')
      return { sql: 'SELECT count(*) AS n FROM reviews', explanation: 'Counts.', tables: [] };
    return isSqlAnswer(request) && !answers ? new Promise<Response>(() => {}) : 're: said';
  };
}

test('finished agents are not called again, and the others have the whole document', async () => {
  analyst(false);
  const first = await spawnService(folder, providerEnv(provider.url));
  const accepted = await fetch(`${first.url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ conversation_flow: 'bike-insights', user_prompt: JSON.stringify(SPECIFIED) }),
  });
  const { run_id } = (await accepted.json()) as { run_id: string };
  await until(() => provider.requests.some(isSqlAnswer), PATIENCE);
  first.kill('SIGKILL');
  await first.exited;
  const before = provider.requests.map((request) => callOf(request) as string);
  analyst(true);
  const second = await spawnService(folder, providerEnv(provider.url));
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  const run = async (): Promise<any> => (await fetch(`${second.url}/api/v1/runs/${run_id}`)).json();
  await until(async () => (await run()).finished_at !== null, PATIENCE);
  const { status, thread_id } = await run();
  expect(status).toBe('succeeded');
  const again = provider.requests.slice(before.length).map((request) => callOf(request) as string);
  expect(again).not.toContain('sentiments');
  expect(again).not.toContain('classification_of_document');
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  const listed: any = await (await fetch(`${second.url}/api/v1/threads/${thread_id}/messages`)).json();
  const outputs = listed.messages.at(-1).outputs;
  expect(outputs).toHaveLength(4);
  const sql = outputs.find(({ agent }: { agent: string }) => agent === 'sql_manipulation_agent');
  expect(sql.data).toMatchObject({ rows: [{ n: 2 }], figures: { totals: { units: 7 } } });
  second.kill('SIGTERM');
  await second.exited;
});
