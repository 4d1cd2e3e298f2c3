/** Recorded streams of chat: the events of a run stay the same byte for byte, however they are stored. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnService } from '../../support/process.ts';
import { SAMPLE_DATABASE, type TestService, testService, writeGraphs } from '../../support/service.ts';
import { until } from '../support/until.ts';

const builds = (...agents: string[]) => `
export default workflow({
  description: 'Recorded.', example: 'Hello',
  agents: () => ${JSON.stringify(agents.map((name) => ({ name, description: name })))},
  build: ({ agent, agentGraph }) => {
    const graph = new StateGraph(Conversation);`;

/** Streams text, then fails. */
const FAILING = `${builds('speaker', 'breaker')}
    return graph
      .addNode('speaker', agent('speaker', async (_state, { answer, status }) => {
        status('thinking');
        return answer('You speak.');
      }))
      .addNode('breaker', agent('breaker', async (_state, { answer }) => {
        await answer('You break.');
        throw new SkeinError('MODEL_CALL_FAILED', { detail: 'as the test wants it' });
      }))
      .addEdge(START, 'speaker').addEdge('speaker', 'breaker').addEdge('breaker', END);
  },
});`;

/** Streams text, then waits until it is stopped. */
const WAITING = `${builds('waiter')}
    return graph
      .addNode('waiter', agent('waiter', async (_state, { answer, status, signal }) => {
        await answer('You wait.');
        status('waiting');
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }))
      .addEdge(START, 'waiter').addEdge('waiter', END);
  },
});`;

/** An agent with two steps, then one whose first attempt never ends. */
const CUT_OFF = `import { existsSync, writeFileSync } from 'node:fs';
${builds('clerk', 'sleeper')}
    return graph
      .addNode(...agentGraph('clerk', (step) => new StateGraph(AgentWork)
        .addNode('look_up', step('look_up', async () => ({})))
        .addNode('tell', step('tell', async (_state, { answer }) =>
          ({ result: { content: (await answer('You tell.')).content, data: { told: true } } })))
        .addEdge(START, 'look_up').addEdge('look_up', 'tell').addEdge('tell', END)))
      .addNode('sleeper', agent('sleeper', async (_state, { answer, status }) => {
        const said = await answer('You sleep.');
        const slept = import.meta.dir + '/slept';
        if (existsSync(slept)) return said;
        writeFileSync(slept, '');
        status('sleeping');
        return new Promise(() => {});
      }))
      .addEdge(START, 'clerk').addEdge('clerk', 'sleeper').addEdge('sleeper', END);
  },
});`;

let service: TestService;
beforeAll(async () => {
  service = await testService({
    env: SAMPLE_DATABASE,
    config: 'workflows: {sql-manipulation-agent: {require_approval: true}}',
    graphs: { failing: FAILING, waiting: WAITING },
  });
}, 120_000);
afterAll(() => service.close());

const JSON_BODY = { 'content-type': 'application/json' };
const HELLO = 'My new bike arrived with a broken pedal!';

const post = (url: string, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { ...JSON_BODY, 'x-request-id': 'recorded', ...headers },
    body: JSON.stringify(body),
  });

const stream = async (path: string, body: object) =>
  (await post(service.url, path, { ...body, stream: true })).text();

/** The stream of a run, resumed after an event. */
async function rejoined(url: string, runId: string, after: number): Promise<string> {
  const headers = { 'last-event-id': String(after) };
  return (await fetch(`${url}/api/v1/runs/${runId}/stream`, { headers })).text();
}

/**
 * Removes what differs between runs: ids, times, token counts, and how many deltas of an agent are merged
 * into one event. The ids of events must have no gaps.
 */
function recorded(text: string, first = 1): string {
  const frames = text.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
  expect(frames.map((frame) => Number(/^id: (\d+)$/m.exec(frame)?.[1]))).toEqual(
    frames.map((_, index) => first + index),
  );
  const joined: string[] = [];
  for (const frame of frames.map((frame) => frame.replace(/^id: \d+\n/, ''))) {
    const both = `${joined.at(-1)}\n\n${frame}`.replace(SAME_AGENT, '');
    if (both.includes('\n\n')) joined.push(frame);
    else joined[joined.length - 1] = both;
  }
  const ids = new Map<string, string>();
  return joined
    .map((frame, index) => `id: ${index + 1}\n${frame}`)
    .join('\n\n')
    .replace(UUID, (id) => {
      const known = ids.get(id) ?? `<id ${ids.size + 1}>`;
      ids.set(id, known);
      return known;
    })
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/"sha256":"[0-9a-f]+"/g, '"sha256":"<hash>"')
    .replace(/"(\w+_ms|\w+_tokens|token_count)":(\d+(\.\d+)?|null)/g, '"$1":<number>');
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b/g;
/** The end of a token and the beginning of the same agent's next one. */
const SAME_AGENT =
  /(?<=^event: token\ndata: \{"agent":("\w+"),"text":".*)"\}\n\nevent: token\ndata: \{"agent":\1,"text":"/;

const runOf = (text: string) => /"run_id":"([^"]+)"/.exec(text)?.[1] ?? '';
const lastOf = (text: string) => Number([...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1]);

test('agents in sequence, resumed after every event', async () => {
  const events = await stream('/chat', { conversation_flow: 'classification-agent', user_prompt: HELLO });
  expect(recorded(events)).toMatchSnapshot();
  for (let after = 0; after <= lastOf(events); after++) {
    const rest = events.slice(after === 0 ? 0 : events.indexOf('\n\n', events.indexOf(`id: ${after}\n`)) + 2);
    expect(await rejoined(service.url, runOf(events), after)).toBe(rest);
  }
  expect(await rejoined(service.url, runOf(events), 1_000)).toBe('');
});

test('an agent with steps that asks a person, and the run that answers', async () => {
  const body = { conversation_flow: 'sql-manipulation-agent', thread_id: 'asks' };
  const events = await stream('/chat', { ...body, user_prompt: 'How many products are there?' });
  expect(recorded(events)).toMatchSnapshot();
  expect(recorded(await stream('/threads/asks/resume', { value: { approved: true } }))).toMatchSnapshot();
});

test('a run that fails', async () => {
  const body = { conversation_flow: 'failing', user_prompt: HELLO };
  expect(recorded(await stream('/chat', body))).toMatchSnapshot();
});

test('a run that is cancelled', async () => {
  const body = { conversation_flow: 'waiting', user_prompt: HELLO };
  const accepted = await post(service.url, '/chat', body, { prefer: 'respond-async' });
  const runId = runOf(await accepted.text());
  const following = await fetch(`${service.url}/api/v1/runs/${runId}/stream`);
  let received = '';
  for await (const piece of following.body ?? []) {
    received += new TextDecoder().decode(piece);
    if (received.includes('"text":"waiting"') && !received.includes('event: end')) {
      await post(service.url, `/runs/${runId}/cancel`, {});
    }
  }
  expect(recorded(received)).toMatchSnapshot();
});

test('a run that continues after its process was killed in the middle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-recorded-'));
  await writeGraphs(folder, { sleeping: CUT_OFF });
  const first = await spawnService(folder);
  const body = { conversation_flow: 'sleeping', user_prompt: HELLO };
  const accepted = await post(first.url, '/chat', body, { prefer: 'respond-async' });
  const runId = runOf(await accepted.text());
  let before = '';
  const following = await fetch(`${first.url}/api/v1/runs/${runId}/stream`);
  const reading = (async () => {
    for await (const piece of following.body ?? []) before += new TextDecoder().decode(piece);
  })().catch(() => {});
  await until(() => before.includes('"text":"sleeping"'), 20_000);
  first.kill('SIGKILL');
  await first.exited;
  await reading;

  const next = await spawnService(folder);
  const last = lastOf(before);
  const rest = await rejoined(next.url, runId, last);
  const all = await rejoined(next.url, runId, 0);
  expect(all).toBe(before + rest);
  expect(recorded(rest, last + 1)).toMatchSnapshot();
  expect(recorded(all)).toMatchSnapshot();
  next.kill('SIGTERM');
  await next.exited;
  rmSync(folder, { recursive: true });
}, 180_000);
