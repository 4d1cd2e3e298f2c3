/** The programs killed (kill -9) while a node waits for its model: the run ends after a restart, and no finished node runs again. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { allEvents, type SentEvent } from '../../support/events.ts';
import { listen } from '../../support/listener.ts';
import { type ServiceProcess, spawnService } from '../../support/process.ts';
import type { ChatRequest } from '../../support/provider.ts';
import { plainThread, stableParts } from './plain.ts';
import { type Kill, PROGRAMS, type Program } from './programs.ts';
import { openProject, type Project } from './project.ts';
import { answered, callerOf } from './script.ts';
import { answering, got, posted } from './turns.ts';

let project: Project;
let service: ServiceProcess;
beforeAll(async () => {
  project = await openProject();
  service = await spawnService(project.folder, project.env);
});
afterAll(async () => {
  service.kill('SIGKILL');
  await service.exited;
  await project.close();
});

interface Asked {
  path: string;
  body: object;
  key: string;
}

function ask({ path, body, key }: Asked, accept: string): Promise<Response> {
  return fetch(`${service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key, accept },
    body: JSON.stringify(body),
  });
}

const unanswered = () => new Promise<Response>(() => {});

async function halfAnswered(request: ChatRequest): Promise<Response> {
  const complete = answered(request);
  const text = await complete.text();
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2))),
  });
  return new Response(body, { headers: complete.headers });
}

/** Kills the service when the call has arrived and the listener has received the events before it. Returns the run's id. */
async function killedIn(
  { caller, call = 1, finished, again }: Kill,
  killedRequest: Asked,
  answer: (request: ChatRequest) => Promise<Response>,
): Promise<string> {
  const called = Promise.withResolvers<void>();
  const received = Promise.withResolvers<void>();
  let calls = 0;
  project.provider.script = (request, index) => {
    if (callerOf(request) !== caller || ++calls !== call) return answered(request, index);
    called.resolve();
    return answer(request);
  };
  const events = listen(await ask(killedRequest, 'text/event-stream'), (all) => {
    const agents = all.filter(({ event }) => event === 'agent').map(({ data }) => data);
    const inState = (wanted: string) => agents.filter(({ state }) => state === wanted).length;
    const isStored = inState('finished') >= finished && inState('started') >= finished + again.length;
    const { event, data } = all.at(-1) ?? {};
    const isStreamed =
      answer === unanswered || (event === 'token' && data.agent === again.at(-1)?.split('/').at(-1));
    if (isStored && isStreamed) received.resolve();
  });
  await Promise.all([called.promise, received.promise]);
  service.kill('SIGKILL');
  await service.exited;
  project.provider.script = answered;
  return (await events)[0]?.data.run_id;
}

const locationOf = ({ path, agent }: { path: string[]; agent: string }) => [...path, agent].join('/');

/** The question, or the answer that continues the turn. */
async function lastRequest({ name, chatBody, answers = [] }: Program, key: string): Promise<Asked> {
  const request = { path: '/chat', body: { ...chatBody, conversation_flow: name, thread_id: key }, key };
  const [answer] = answers;
  if (!answer) return request;
  const { interrupts } = (await posted(service, request.path, request.body)).body;
  return { ...request, path: `/threads/${key}/resume`, body: answering(interrupts, answer) };
}

const KILLS = PROGRAMS.flatMap((program) =>
  program.killed.map((kill) => [program.name, kill.caller, program, kill] as const),
);

test.each(KILLS)(
  '%s, killed in %s, continues without repeating finished work',
  async (name, caller, program, kill) => {
    const { provider, graph } = project;
    const index = provider.requests.length;
    const request = await lastRequest(program, `killed-${name}-${caller}`);
    const runId = await killedIn(kill, request, unanswered);
    service = await spawnService(project.folder, project.env);
    const answer = await ask(request, 'application/json');
    const body = (await answer.json()) as { values: unknown; outputs: Record<string, unknown>[] };
    expect({ status: answer.status, body }).toMatchObject({ status: 200, body: { run_id: runId } });
    const callers = Map.groupBy(provider.requests.slice(index).map(callerOf), (one) => one);
    const { calls } = program;
    expect(Object.fromEntries(Array.from(callers, ([one, all]) => [one, all.length]))).toEqual({
      ...calls,
      [caller]: (calls[caller] ?? 0) + 1,
    });
    expect(stableParts(body.values)).toEqual(await plainThread(await graph(name), program).turn());
    const results = body.outputs.map(({ agent, content, data }) => [agent, content, data]);
    expect(results.map((one) => JSON.stringify(one)).sort()).toEqual(
      program.outputs.map((one) => JSON.stringify(one)).sort(),
    );
    const events = await allEvents(await fetch(`${service.url}/api/v1/runs/${runId}/stream`));
    expectOnce(events, program, kill);
    const { agents } = await got(service, `/runs/${runId}`);
    expect(agents.filter(({ state }: { state: string }) => state !== 'finished')).toEqual([]);
  },
  60_000,
);

const HALF = KILLS.filter(([, caller]) => ['condense', 'writer', 'verdict', 'section'].includes(caller));

test.each(HALF)(
  '%s, killed while %s streams, streams everything again',
  async (name, caller, program, kill) => {
    const request = await lastRequest(program, `half-${name}-${caller}`);
    const runId = await killedIn(kill, request, halfAnswered);
    service = await spawnService(project.folder, project.env);
    expect((await ask(request, 'application/json')).status).toBe(200);
    const events = await allEvents(await fetch(`${service.url}/api/v1/runs/${runId}/stream`));
    const agent = kill.again.at(-1)?.split('/').at(-1) ?? '';
    const ofAgent = events.filter(({ data }) => data.agent === agent);
    const second = ofAgent.findIndex(({ event, data }) => event === 'agent' && data.attempt === 2);
    const text = (some: SentEvent[]) =>
      some.map(({ event, data }) => (event === 'token' ? data.text : '')).join('');
    const complete = program.texts[agent] ?? '';
    expect(text(ofAgent.slice(0, second)).length).toBeGreaterThan(0);
    expect(complete).toEndWith(text(ofAgent.slice(second)));
    expect(text(ofAgent.slice(second)).length).toBeGreaterThan(0);
    expect(text(ofAgent).length).toBeGreaterThan(complete.length);
  },
  60_000,
);

/** Each execution starts once and finishes once; those that were interrupted start a second time, as a second attempt. */
function expectOnce(events: SentEvent[], { tools = [], texts: expected }: Program, { again }: Kill): void {
  const states: Record<string, string[]> = {};
  for (const { event, data } of events) {
    if (event !== 'agent') continue;
    const key = `${locationOf(data)} ${data.execution}`;
    states[key] = [...(states[key] ?? []), `${data.state} ${data.attempt}`];
  }
  const repeated = Object.keys(states).filter((key) => states[key]?.includes('started 2'));
  expect(repeated.map((key) => key.split(' ')[0])).toEqual(again);
  for (const [key, found] of Object.entries(states)) {
    const twice = ['started 1', 'started 2', 'finished 2'];
    expect([key, ...found]).toEqual([key, ...(repeated.includes(key) ? twice : ['started 1', 'finished 1'])]);
  }
  const finished = events.filter(({ event, data }) => event === 'tool' && data.state === 'finished');
  expect(finished.map(({ data }) => [data.tool, data.output])).toEqual(tools);
  const texts: Record<string, string> = {};
  for (const { event, data } of events)
    if (event === 'token') texts[data.agent] = (texts[data.agent] ?? '') + data.text;
  for (const [agent, text] of Object.entries(texts))
    expect({ agent, length: text.length }).toEqual({ agent, length: expected[agent]?.length ?? 0 });
}
