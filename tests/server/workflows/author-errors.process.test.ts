/** Errors that a project's workflows throw: what the caller sees, and what is logged. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from '../../support/process.ts';
import { writeGraphs } from '../../support/service.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

/** Throws what the prompt selects: before the turn is accepted, or in its agent. */
const THROWING = `
const ERRORS = {
  shelf: () => new SkeinError('OVERLOADED', { message: 'The shelf is full', detail: 'shelf 3', retryAfter: 7 }),
  input: () => new SkeinError('INVALID_WORKFLOW_INPUT', { detail: 'items: there are none' }),
  unknown: () => new SkeinError('OUT_OF_STOCK', { message: 'secret-canary', detail: 'secret-canary' }),
  plain: () => new Error('secret-canary'),
  nothing: () => undefined,
};
const refuse = (when, prompt) => {
  const [at, what] = prompt.split(' ');
  if (at === when) throw ERRORS[what]();
};
export default workflow({
  description: 'Throws.', agents: () => [{ name: 'clerk', description: 'Throws' }], example: 'agent plain',
  read(prompt) { refuse('read', prompt); return {}; },
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('clerk', agent('clerk', async ({ messages }) => {
      refuse('agent', messages.at(-1).text);
      return { content: 'fine' };
    }))
    .addEdge(START, 'clerk').addEdge('clerk', END),
});`;

const folder = mkdtempSync(join(tmpdir(), 'skein-throwing-'));
let service: ServiceProcess;
beforeAll(async () => {
  await writeGraphs(folder, { throwing: THROWING });
  service = await spawnService(folder);
});
afterAll(async () => {
  service.kill('SIGTERM');
  await service.exited;
  rmSync(folder, { recursive: true });
});

const chat = (user_prompt: string) =>
  answerOf(
    fetch(`${service.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_prompt, conversation_flow: 'throwing', thread_id: 'shop' }),
    }),
  );

test.each(['read', 'agent'])("a SkeinError of %s is returned with its author's message", async (at) => {
  const full = await chat(`${at} shelf`);
  expect(expectRefused(full, 503, 'OVERLOADED')).toMatchObject({
    message: 'The shelf is full',
    detail: 'shelf 3',
  });
  expect(full.headers.get('retry-after')).toBe('7');
  const { message, detail } = expectRefused(await chat(`${at} input`), 400, 'INVALID_WORKFLOW_INPUT');
  expect([message, detail]).toEqual([
    'The workflow does not accept this user_prompt',
    'items: there are none',
  ]);
});

test.each([
  ['read unknown', "unknown code 'OUT_OF_STOCK': secret-canary"],
  ['agent unknown', "unknown code 'OUT_OF_STOCK': secret-canary"],
  ['read plain', 'secret-canary'],
  ['agent plain', 'secret-canary'],
])(
  'any other error is an INTERNAL_ERROR, and the log has it under the request: %s',
  async (prompt, message) => {
    const { body } = await chat(prompt);
    expect(JSON.stringify(body)).not.toContain('secret-canary');
    const again = await chat(prompt);
    const { request_id } = expectRefused(again, 500, 'INTERNAL_ERROR');
    const loggedOf = () =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes(request_id) && line.endsWith('}'));
    await until(() => loggedOf().length > 0, 30_000);
    const logged = loggedOf();
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(message);
  },
);

test('a thrown value can be anything, even undefined, and the thread can continue', async () => {
  expectRefused(await chat('agent nothing'), 500, 'INTERNAL_ERROR');
  expect((await chat('fine')).body.agent_response).toBe('fine');
});
