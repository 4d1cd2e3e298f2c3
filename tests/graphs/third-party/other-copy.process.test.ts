/** A graph of a project with its own LangGraph and LangChain, served by another copy: streamed, killed, resumed. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../server/support/until.ts';
import { allEvents, type SentEvent } from '../../support/events.ts';
import { type ServiceProcess, spawnService } from '../../support/process.ts';
import { type Provider, type Reply, scriptedProvider } from '../../support/provider.ts';
import { callingFor, saying } from '../authoring/chat-model/tool-replies.ts';
import { projectFolder } from './project-folder.ts';
import { recorded, toolsOf, work } from './served.ts';

// It copies packages and starts services, on a machine that may be busy.
setDefaultTimeout(60_000);

const OWN = ['@langchain', 'langsmith', 'zod'];
const folder = projectFolder('everything', { own: OWN });
const provider: Provider = scriptedProvider();
let service: ServiceProcess;

beforeAll(async () => {
  for (const name of ['@langchain/core', '@langchain/langgraph', '@langchain/openai', 'zod'])
    expect(realpathSync(join(folder, 'node_modules', name))).toStartWith(realpathSync(folder));
  mkdirSync(join(folder, 'state'));
  await Bun.write(join(folder, 'config.yml'), '');
  service = await start();
});
afterAll(async () => {
  await kill();
  await provider.close();
  rmSync(folder, { recursive: true });
});

/** The service gets the path of the project, and runs in another folder. */
const start = () =>
  spawnService(join(folder, 'state'), {
    SERVICE_PROJECT_PATH: join(folder, 'config.yml'),
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'key',
  });

async function kill(): Promise<void> {
  service.kill('SIGKILL');
  await service.exited;
}

const post = (path: string, body: object) =>
  fetch(`${service.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
const get = async (path: string): Promise<any> => (await fetch(`${service.url}/api/v1/${path}`)).json();

const ran = () => readFileSync(join(folder, 'ran.txt'), 'utf8').trim().split('\n');
const custom = (events: SentEvent[]) =>
  events.flatMap(({ event, data }) => (event === 'custom' ? [[data.agent, data.data]] : []));

test('its events cover Send, Command and the subgraph that asks a person', async () => {
  const prompt = { conversation_flow: 'everything', user_prompt: 'Plan a trip', thread_id: 'trip' };
  const events = await allEvents(await post('chat', { ...prompt, stream: true }));
  expect(work(events, 'finished')).toEqual([
    'look 1',
    'visit 1',
    'visit 2',
    'visit 3',
    'choose 1',
    'booking/remember 1',
  ]);
  expect(custom(events)).toEqual([
    ['look', { looking: true }],
    ['visit', { visited: 'Bonn' }],
    ['visit', { visited: 'Ulm' }],
    ['visit', { visited: 'Trier' }],
  ]);
  expect(events.find(({ event }) => event === 'response')?.data).toMatchObject({
    event_type: 'interrupt',
    interrupts: [{ value: { city: 'Bonn', question: 'Which hotel?' }, agent: 'ask', path: ['booking'] }],
    outputs: [
      { agent: 'visit', data: { seen: ['Bonn'] } },
      { agent: 'visit', data: { seen: ['Ulm'] } },
      { agent: 'visit', data: { seen: ['Trier'] } },
      { agent: 'choose', data: { city: 'Bonn' } },
    ],
  });
});

test('it continues in another process, and again after a kill inside its agent', async () => {
  await kill();
  service = await start();
  const held = Promise.withResolvers<void>();
  provider.script = (request): Reply => {
    if (!request.messages.some(({ role }) => role === 'tool'))
      return callingFor(request, { id: 'call', name: 'reserve', args: '{"nights":2}' });
    held.resolve();
    return () => new Promise<Response>(() => {});
  };
  const answer = { value: { hotel: 'Stern' }, on_disconnect: 'continue', stream: true };
  const cutOff = allEvents(await post('threads/trip/resume', answer)).catch(() => {});
  await held.promise;
  await kill();
  await cutOff;
  provider.script = (request) => saying('Two nights.', request);
  service = await start();
  const { runs } = await get('threads/trip/runs');
  const { run_id } = runs.find(({ status }: { status: string }) => status !== 'interrupted');
  await until(async () => (await get(`runs/${run_id}`)).status === 'succeeded', 15_000);
  const run = await get(`runs/${run_id}`);
  expect(run.attempt).toBe(2);
  expect(recorded(run)).toEqual([
    'booking 1 finished 0',
    'booking/ask 1 finished 0',
    'clerk 1 finished 0',
    'clerk/agent 1 finished 30',
    'clerk/tools 1 finished 0',
    'clerk/agent 2 finished 30',
    'tell 1 finished 0',
  ]);
  expect(ran()).toEqual([
    'look',
    'visit Bonn',
    'visit Ulm',
    'visit Trier',
    'choose',
    'remember',
    'ask',
    'reserve',
    'tell',
  ]);
  const { messages } = await get('threads/trip/messages');
  expect(messages.at(-1).content).toBe('Bonn, Stern: Two nights.');
});

test('createReactAgent of the other copy streams its tokens and its tools', async () => {
  provider.script = (request) =>
    request.messages.filter(({ role }) => role === 'tool').length > 1
      ? saying('Three nights.', request)
      : callingFor(request, { id: 'again', name: 'reserve', args: '{"nights":3}' });
  await post('chat', { conversation_flow: 'everything', user_prompt: 'Another', thread_id: 'trip' });
  const events = await allEvents(
    await post('threads/trip/resume', { value: { hotel: 'Sonne' }, stream: true }),
  );
  expect(toolsOf(events)).toEqual([['reserve', 'finished', '3 nights are reserved']]);
  expect(work(events, 'finished')).toEqual([
    'booking/ask 1',
    'booking 1',
    'clerk/agent 1',
    'clerk/tools 1',
    'clerk/agent 2',
    'clerk 1',
    'tell 1',
  ]);
  const { response } = Object.fromEntries(events.map(({ event, data }) => [event, data]));
  expect(response).toMatchObject({
    agent_response: 'Bonn, Sonne: Three nights.',
    token_count: 60,
    values: { hotel: 'Sonne', seen: expect.arrayContaining(['stored 1']) },
  });
});
