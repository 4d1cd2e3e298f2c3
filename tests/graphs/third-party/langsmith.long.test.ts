/** The traces that LangSmith gets of a served graph, compared with the same graph under plain LangGraph. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../server/support/until.ts';
import { allEvents } from '../../support/events.ts';
import { spawnProcess, spawnService } from '../../support/process.ts';
import { type Provider, scriptedProvider } from '../../support/provider.ts';
import { type TracedRun, type TraceServer, traceServer, tree } from '../../support/trace-server.ts';
import { callingFor, saying } from '../authoring/chat-model/tool-replies.ts';
import { projectFolder } from './project-folder.ts';

setDefaultTimeout(60_000);

let provider: Provider;
let folder: string;
let plain: TracedRun[];
beforeAll(async () => {
  provider = scriptedProvider((request) =>
    request.messages.some(({ role }) => role === 'tool')
      ? saying('It is 3.', request)
      : callingFor(request, { id: 'call', name: 'add', args: '{"a":1,"b":2}' }),
  );
  folder = projectFolder('traced');
  plain = await tracedPlainly();
});
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

const openAi = () => ({ OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'key' });

async function tracedPlainly(): Promise<TracedRun[]> {
  const traces = traceServer();
  const script = join(import.meta.dir, 'invoke-plainly.ts');
  const command = [process.execPath, '--no-env-file', script, join(folder, 'graphs/traced/graph.ts'), PROMPT];
  const child = spawnProcess(command, folder, { HOME: folder, ...traces.variables, ...openAi() });
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  expect({ code: await child.exited, output: child.output() }).toEqual({ code: 0, output: '' });
  await traces.close();
  return traces.runs();
}

const PROMPT = 'Add 1 and 2';

/** A turn of the graph in a service with these variables, which is stopped when `over` holds or after a time limit. */
async function tracedTurn(
  env: Record<string, string>,
  thread: string,
  over: () => boolean = () => true,
): Promise<{ agent_response: string; run_id: string }> {
  const service = await spawnService(folder, { ...openAi(), ...env });
  try {
    const response = await fetch(`${service.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        user_prompt: PROMPT,
        conversation_flow: 'traced',
        thread_id: thread,
        stream: true,
      }),
    });
    const events = await allEvents(response);
    await until(over, 15_000);
    return events.find(({ event }) => event === 'response')?.data;
  } finally {
    service.kill('SIGTERM');
    await service.exited;
  }
}

/** LangSmith has received the end of the root run. */
const hasEnded = (traces: TraceServer) =>
  traces.runs().some(({ parent_run_id, end_time }) => !parent_run_id && end_time !== undefined);

/** The sent fields of a run, without those that differ each time. */
function content({ name, run_type, inputs, outputs, error, tags }: TracedRun) {
  const text = JSON.stringify({ name, run_type, inputs, outputs, error, tags });
  return JSON.parse(text, (key, value) => (key === 'id' && typeof value === 'string' ? 'an id' : value));
}

/** The metadata of a run, with only those values that are the same each time. */
function metadata({ extra }: TracedRun): Record<string, unknown> {
  const { metadata = {} } = extra ?? {};
  const fields = Object.entries(metadata).map(([name, value]) => [
    name,
    /checkpoint_ns|^run_id$|^thread_id$|^revision_id$|LANGSMITH|^LANGCHAIN|cwd/.test(name)
      ? 'differs'
      : value,
  ]);
  return Object.fromEntries(fields);
}

describe.each(['environment', '.env'])('turned on by the %s', (place) => {
  const traces = traceServer();
  let runs: TracedRun[];
  let runId: string;
  beforeAll(async () => {
    const lines = Object.entries(traces.variables).map(([name, text]) => `${name}=${text}`);
    await Bun.write(join(folder, '.env'), place === '.env' ? lines.join('\n') : '');
    const body = await tracedTurn(place === '.env' ? {} : traces.variables, place, () => hasEnded(traces));
    expect(body.agent_response).toBe('It is 3.');
    runId = body.run_id;
    runs = traces.runs();
  });
  afterAll(() => traces.close());

  test('the run tree is the same as with plain LangGraph', () => {
    expect(tree(plain)).toContain('LangGraph/calculator/LangGraph/tools/add tool');
    expect(tree(plain)).toContain('LangGraph/prepare/read retriever');
    expect(tree(runs)).toEqual(tree(plain));
  });

  test('so are inputs, outputs, tags and metadata', () => {
    for (const [index, run] of runs.entries()) {
      expect(content(run)).toEqual(content(plain[index] as TracedRun));
      expect(metadata(run)).toEqual(metadata(plain[index] as TracedRun));
    }
    expect(runs.every(({ end_time }) => end_time !== undefined)).toBe(true);
    expect(runs[0]?.extra?.metadata).toMatchObject({ thread_id: place, run_id: runId });
  });

  test('the service itself is not in it', () => {
    expect(JSON.stringify(runs)).not.toContain('skein');
  });
});

test('a service that is stopped sends what it has not sent yet', async () => {
  const traces = traceServer();
  await Bun.write(join(folder, '.env'), '');
  await tracedTurn(traces.variables, 'stopped');
  expect(tree(traces.runs())).toEqual(tree(plain));
  expect(traces.runs().every(({ end_time }) => end_time !== undefined)).toBe(true);
  await traces.close();
});

test('a stop does not wait for long if LangSmith does not answer', async () => {
  const silent = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Promise<Response>(() => {}) });
  const endpoint = `http://127.0.0.1:${silent.port}`;
  const variables = { LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: endpoint, LANGSMITH_API_KEY: 'key' };
  const begun = performance.now();
  await tracedTurn(variables, 'silent');
  expect(performance.now() - begun).toBeLessThan(20_000);
  await silent.stop(true);
});

test('nothing is sent if tracing is off', async () => {
  const traces = traceServer();
  await Bun.write(join(folder, '.env'), '');
  const { LANGSMITH_TRACING: _, ...off } = traces.variables;
  const { agent_response } = await tracedTurn(off, 'off');
  expect(agent_response).toBe('It is 3.');
  expect(traces.requests).toBe(0);
  await traces.close();
});
