/** Writes turns as the runtime does, for tests of drivers. */

import type { Lease } from '../../state/cluster/lease.ts';
import { errorBody, SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { Admission } from '../../state/threads/coordination.ts';
import type { AgentReport } from '../../state/threads/run-trace.ts';
import type { NewRun, RunEnd, RunUsage } from '../../state/threads/runs.ts';
import type { Interrupt, Thread } from '../../state/threads/threads.ts';

export interface StoredTurn {
  run: NewRun;
  lease: Lease;
  thread: Thread;
  /** The last checkpoint of the turn. */
  head: string;
}

export interface TurnOptions {
  runId?: string;
  owner?: string;
  threadId?: string;
  title?: string;
  workflow?: string;
  prompt?: string;
  /** Default: succeeded. `accepted`: the run is not ended. */
  ends?: 'failed' | 'cancelled' | 'interrupted' | 'accepted';
  /** Time of acceptance and end in milliseconds since 1970. */
  at?: number;
  /** The duration in milliseconds. */
  tookMs?: number;
  usage?: RunUsage;
  agents?: AgentReport[];
  idempotencyKey?: string;
}

/** No limits. */
export const ROOM: Admission = { perThread: 100, queued: 100, strategy: 'enqueue', claim: true };

/** Accepts a run, which starts if no other turn is waiting. */
export async function accepted(state: State, run: NewRun, admission = ROOM) {
  const acceptance = await state.coordination.accept(run, admission);
  if (acceptance.outcome !== 'accepted') throw new Error(acceptance.outcome);
  const { lease, threadKey, claim } = acceptance;
  const thread = claim?.thread ?? (await state.threads.byKey(threadKey));
  if (!thread) throw new Error('no thread');
  return { run, thread, lease, claim };
}

let steps = 0;

/** A whole turn on a thread, with one checkpoint whose channel `word` is the prompt. */
export async function storedTurn(state: State, options: TurnOptions = {}): Promise<StoredTurn> {
  const { prompt = 'A question?', at = 1, ends, workflow = 'w', idempotencyKey } = options;
  const run: NewRun = {
    runId: options.runId ?? Bun.randomUUIDv7(),
    messageId: Bun.randomUUIDv7(),
    owner: options.owner ?? 'ann',
    threadId: options.threadId ?? 't',
    title: options.title ?? 'Title',
    workflow,
    // Also accepted if the thread waits for a person.
    request: { userPrompt: prompt, deadlineSeconds: 1, requestId: 'r', supersedes: true },
    createdAt: at,
    idempotency: idempotencyKey === undefined ? undefined : { key: idempotencyKey, digest: 'd' },
  };
  const { thread, lease } = await accepted(state, run);
  if (ends === 'accepted') return { run, lease, thread, head: '' };
  const head = await checkpoint(state, thread, run, prompt);
  const interrupts =
    ends === 'interrupted' ? [{ interruptId: 'i', value: 'Really?', agent: 'a', path: [] }] : [];
  await state.coordination.end(
    lease,
    {
      run: { ...run, threadKey: thread.key },
      started: true,
      before: thread,
      finishedAt: options.tookMs === undefined ? at : (await startOf(state, run)) + options.tookMs,
      usage: options.usage ?? { inputTokens: 3, outputTokens: 4 },
      agents: options.agents ?? [],
      events: [
        {
          ...{ first: 1, last: 1, chat: { first: 1, last: 1 } },
          entries: [{ at, kind: 'message', node: 'a', body: { delta: prompt } }],
        },
      ],
      outcome:
        ends === 'failed' || ends === 'cancelled'
          ? { status: ends, error: errorBody(new SkeinError('INTERNAL_ERROR'), 'r'), partial: '' }
          : { status: ends ?? 'succeeded', ...success(prompt), ...withInterrupts(prompt, interrupts) },
    },
    false,
  );
  return { run, lease, thread, head };
}

async function startOf(state: State, { owner, runId }: NewRun): Promise<number> {
  return (await state.runs.find(owner, runId))?.startedAt ?? 0;
}

function success(prompt: string) {
  return { memory: { messages: 2, tokens: 5, summary: '' }, ...withInterrupts(prompt, []) };
}

function withInterrupts(prompt: string, interrupts: Interrupt[]) {
  const answer = { followupQuestions: {}, memorySummary: '', model: 'm' };
  const outputs = [{ agent: 'a', content: `re: ${prompt}`, data: null, finishedAt: 1 }];
  return { result: { agentResponse: `re: ${prompt}`, outputs, ...answer, interrupts, stoppedAt: [] } };
}

/** Puts a checkpoint as a graph does, or as a subgraph with its namespace; returns its id. */
export async function checkpoint(
  state: State,
  thread: Thread,
  run: NewRun,
  word: string,
  namespace = '',
): Promise<string> {
  const id = String(steps++).padStart(8, '0');
  const version = state.checkpointer.getNextVersion(undefined);
  await state.checkpointer.put(
    { configurable: { thread_id: thread.key, checkpoint_ns: namespace, run_id: run.runId } },
    { v: 4, id, ts: '', channel_values: { word }, channel_versions: { word: version }, versions_seen: {} },
    { source: 'loop', step: 0, parents: {} },
    { word: version },
  );
  return id;
}

/** The end of a turn that never started. */
export function failedEnd({ run, thread }: Pick<StoredTurn, 'run' | 'thread'>, at = 100): RunEnd {
  return {
    run: { ...run, threadKey: thread.key },
    started: true,
    before: thread,
    finishedAt: at,
    usage: { inputTokens: 0, outputTokens: 0 },
    agents: [],
    events: [],
    outcome: { status: 'failed', error: errorBody(new SkeinError('INTERNAL_ERROR'), 'r') },
  };
}
