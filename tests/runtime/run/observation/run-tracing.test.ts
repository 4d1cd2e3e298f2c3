/** The spans of a run and of its tasks, as an OTLP endpoint receives them. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import pino from 'pino';
import { runTracing } from '../../../../runtime/run/observation/run-tracing.ts';
import { taskSpans } from '../../../../runtime/run/observation/task-spans.ts';
import { SkeinError } from '../../../../state/errors.ts';
import type { NewEntry } from '../../../../state/threads/events.ts';
import { openTracing } from '../../../../tools/telemetry/open.ts';
import type { Tracing } from '../../../../tools/telemetry/tracing.ts';
import { type OtlpReceiver, otlpReceiver } from '../../../support/otlp-receiver.ts';

let receiver: OtlpReceiver;
let tracing: Tracing;
beforeEach(() => {
  receiver = otlpReceiver();
  const log = pino({ level: 'silent' });
  const options = { endpoint: receiver.url, captureContent: true, version: '1', environment: {}, log };
  tracing = openTracing(options);
});
afterEach(async () => {
  await tracing.close(5_000);
  await receiver.close();
});

const EARLIER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function run() {
  const request = { userPrompt: 'Hi', deadlineSeconds: 1, requestId: 'r', traceparent: EARLIER };
  const ids = { runId: 'run', threadId: 't', messageId: 'm', owner: 'ann', workflow: 'w' };
  return runTracing(tracing, {
    run: { ...ids, request, createdAt: 1 },
    runs: { find: async () => undefined },
    usage: { inputTokens: 3, outputTokens: 4 },
  });
}

const claimed = (number: number) => ({ lease: { runId: 'run', number } });

test.each([
  ['released', undefined, true, 0],
  ['lost', undefined, false, 0],
  ['cancelled', new SkeinError('RUN_CANCELLED'), false, 0],
  ['failed', new TypeError('unexpected'), false, 2],
] as const)('the span of a run has the status %s', async (expected, error, isReleased, status) => {
  const trace = run();
  await trace.within(claimed(1), async () => {});
  trace.over(error, isReleased);
  await tracing.close(5_000);
  expect(receiver.spans).toMatchObject([
    { name: 'invoke_workflow w', status, attributes: { 'skein.run.status': expected }, links: [] },
  ]);
});

test('a run that another process started links to its trace', async () => {
  const trace = run();
  await trace.within(claimed(2), async () => {});
  trace.over(new SkeinError('RUN_TIMEOUT'), false);
  await tracing.close(5_000);
  expect(receiver.spans).toMatchObject([
    {
      attributes: { 'skein.run.recovered': true, 'error.type': 'RUN_TIMEOUT' },
      links: [{ spanId: EARLIER.split('-')[2] }],
    },
  ]);
});

test('a run that ends before it is claimed has no span', async () => {
  run().over(new SkeinError('RUN_CANCELLED'), false);
  await tracing.close(5_000);
  expect(receiver.spans).toEqual([]);
});

test('the attempts of a task are one span, and a step is named after its part', async () => {
  const root = tracing.begin('root');
  const spans = taskSpans(tracing, root);
  const task = (taskId: string, body: (NewEntry & { kind: 'task' })['body']): NewEntry => ({
    ...{ kind: 'task', node: 'a', taskId, body },
  });
  const ended = (taskId: string, output?: string): NewEntry => ({
    ...{ kind: 'task_end', node: 'a', taskId },
    body: {
      ...{ state: 'finished', duration_ms: 1 },
      ...(output !== undefined && { output: { content: output, data: null, finished_at: 1 } }),
    },
  });
  for (const entry of [
    task('1', { attempt: 1 }),
    task('1', { attempt: 2 }),
    ended('1', 'Hello'),
    ended('1', 'again'),
    task('2', { part: 'look_up' }),
    ended('2'),
  ])
    spans.note(entry);
  spans.close();
  root.end();
  await tracing.close(5_000);
  expect(receiver.spans.map(({ name }) => name)).toEqual(['invoke_agent a', 'step look_up', 'root']);
  const [agent, step] = receiver.spans;
  expect(agent?.attributes).toMatchObject({ 'skein.attempt': 2, 'skein.agent.state': 'finished' });
  expect(agent?.attributes['gen_ai.output.messages']).toContain('Hello');
  expect(step?.attributes).not.toHaveProperty('gen_ai.output.messages');
});

test('the end of a model call without a beginning is ignored', async () => {
  const spans = taskSpans(tracing, tracing.begin('root'));
  const call = {
    ...{ task: 'answer', model: 'm', messages: [], response: 'Hi', startedAt: 1, durationMs: 1 },
    ...{ firstTokenMs: null, attempts: 1, usage: { inputTokens: 1, outputTokens: 1 } },
  };
  spans.callEnded('unknown', call);
  spans.callStarted('known', { model: 'm', messages: [] });
  spans.callEnded('known', call);
  await tracing.close(5_000);
  expect(receiver.spans.map(({ name }) => name)).toEqual(['chat m']);
});
