/** A workflow with a delta channel and a growing list: both stay complete whatever happens to a thread. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestService, testService } from '../../support/service.ts';
import { askState } from '../../support/stored-state.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-delta-'));
afterAll(() => rmSync(root, { recursive: true }));

const SKEIN = join(import.meta.dir, '../../../graphs/skein.ts');

/** Stores its question twice per turn, and answers with everything that it has stored. */
const workflow = (snapshotFrequency: number) => `
import { DeltaChannel } from '${SKEIN}';
const join = (noted, writes) => [...noted, ...writes.flat()];
const State = Annotation.Root({
  ...Conversation.spec,
  log: () => new DeltaChannel(join, { snapshotFrequency: ${snapshotFrequency} }),
  unused: () => new DeltaChannel(join),
  list: Annotation({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});
export default workflow({
  description: 'Takes notes.', example: 'Hello', agents: () => [{ name: 'noting', description: 'Notes' }],
  build: () => new StateGraph(State)
    .addNode('before', ({ messages }) => {
      const asked = messages.at(-1).text;
      if (asked === 'forget') return { log: [] };
      return { log: [asked], list: [asked + ' word'.repeat(60)] };
    })
    .addNode('aside', ({ messages }) => ({ log: ['aside'] }))
    .addNode('noting', ({ messages, log, list, unused }) => {
      const asked = messages.at(-1).text;
      if (asked === 'fail') throw new Error('as asked');
      const person = asked === 'ask' ? [interrupt('Who?')] : [];
      const answer = JSON.stringify({ log: [...log, ...person], list: list.map((one) => one.split(' ')[0]) });
      return { log: [...person, 'done ' + asked], messages: [new AIMessage(answer)] };
    })
    .addEdge(START, 'before').addEdge(START, 'aside').addEdge(['before', 'aside'], 'noting').addEdge('noting', END),
});`;

const opened: TestService[] = [];
afterAll(async () => {
  for (const one of opened) await one.close();
});

async function start(folder: string, snapshotFrequency: number): Promise<TestService> {
  const config = 'chat_history: { checkpoints_per_thread: 4 }';
  const service = await testService({ folder, config, graphs: { notes: workflow(snapshotFrequency) } });
  opened.push(service);
  return service;
}

/** The expected content of a thread, and the turns that create it. */
function noting(service: () => TestService, id: string) {
  const log: string[] = [];
  const list: string[] = [];
  async function turn(user_prompt: string, person?: string): Promise<void> {
    const request = { conversation_flow: 'notes', thread_id: id, user_prompt };
    let { status, body } = await service().chat(request);
    if (user_prompt === 'fail') return expect(status).toBe(500) as undefined;
    if (person !== undefined) {
      const answered = await post(service(), `/threads/${id}/resume`, { value: person });
      ({ status, body } = { status: answered.status, body: (await answered.json()) as typeof body });
    }
    expect({ status, body }).toMatchObject({ status: 200 });
    const seen = JSON.parse(body.agent_response);
    expect(seen.log.toSorted()).toEqual(
      [...log, user_prompt, 'aside', ...(person ? [person] : [])].toSorted(),
    );
    log.push(...seen.log.slice(log.length), `done ${user_prompt}`);
    list.push(user_prompt);
    expect(seen).toEqual({ log: log.slice(0, -1), list });
  }
  return { id, log, list, turn };
}

const post = (service: TestService, path: string, body: object) =>
  service.fetch(`/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const get = async (service: TestService, path: string) =>
  (await (await service.fetch(`/api/v1${path}`)).json()) as never as {
    checkpoints: { checkpoint_id: string; next: string[] }[];
    values: { log: string[]; list: string[]; unused?: string[] };
  };

for (const snapshotFrequency of [1_000, 7]) {
  test(`forty turns with failures, questions, forks and restarts, a snapshot after ${snapshotFrequency} updates`, async () => {
    const folder = join(root, String(snapshotFrequency));
    let service = await start(folder, snapshotFrequency);
    const main = noting(() => service, 'main');
    const threads = [main];
    for (let turn = 0; turn < 40; turn++) {
      if (turn % 7 === 3) await main.turn('fail');
      await main.turn(...((turn % 9 === 5 ? ['ask', `person-${turn}`] : [`turn-${turn}`]) as [string]));
      if (turn % 13 === 11) {
        const { checkpoints } = await get(service, '/threads/main/checkpoints?limit=100');
        const at = checkpoints.filter(({ next }) => next.length === 0)[turn % 2];
        const { values } = await get(service, `/threads/main/checkpoints/${at?.checkpoint_id}`);
        expect(values.log).toEqual(main.log.slice(0, values.log.length));
        expect(values.unused).toEqual([]);
        const added = turn % 2 ? { values: { log: [`added-${turn}`] } } : {};
        const checkpoint_id = at?.checkpoint_id;
        const made = await post(service, '/threads/main/fork', { checkpoint_id, ...added });
        const fork = noting(() => service, ((await made.json()) as { thread_id: string }).thread_id);
        fork.log.push(...values.log, ...(added.values?.log ?? []));
        fork.list.push(...values.list.map((one) => one.split(' ')[0] as string));
        threads.push(fork);
      }
      for (const fork of threads.slice(1)) {
        if (turn % 5 === 4) await fork.turn('fail');
        await fork.turn(`fork-${turn}`);
      }
      if (turn % 17 === 15) {
        await service.close();
        opened.pop();
        service = await start(folder, snapshotFrequency);
      }
    }
    expect(threads.length).toBe(4);
    const count = async (rows: string) =>
      (await askState<{ n: number }>(folder, `SELECT count(*) AS n FROM ${rows}`))[0]?.n ?? 0;
    const ofMain = "thread = '000000000001'";
    expect(await count(`checkpoint_writes WHERE ${ofMain}`)).toBe(0);
    expect(await count(`checkpoints WHERE ${ofMain}`)).toBeLessThan(50);
    expect(await count(`checkpoint_elements WHERE ${ofMain} AND channel = 'list'`)).toBe(40);
    // Each turn writes at two checkpoints. Those before the last snapshot are deleted.
    expect(await count(`checkpoint_deltas WHERE ${ofMain}`)).toBeLessThan(snapshotFrequency === 7 ? 60 : 140);
    for (const { id } of threads)
      expect((await service.fetch(`/api/v1/threads/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await count('checkpoint_deltas')).toBe(0);
  }, 120_000);
}

test('a fork can change a delta channel before the first step', async () => {
  const service = await start(join(root, 'first'), 7);
  await noting(() => service, 'first').turn('hello');
  const { checkpoints } = await get(service, '/threads/first/checkpoints');
  const { checkpoint_id } = checkpoints.at(-1) ?? {};
  expect(checkpoints.at(-1)?.next).toEqual(['__start__']);
  const made = await post(service, '/threads/first/fork', { checkpoint_id, values: { log: ['changed'] } });
  const { thread_id } = (await made.json()) as { thread_id: string };
  expect(made.status).toBe(201);
  const [newest] = (await get(service, `/threads/${thread_id}/checkpoints`)).checkpoints;
  const { values } = await get(service, `/threads/${thread_id}/checkpoints/${newest?.checkpoint_id}`);
  expect(values.log).toEqual(['changed']);
});
