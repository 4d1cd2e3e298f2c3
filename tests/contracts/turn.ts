/** Turns as the runtime writes them, for the tests of a store. */
import { errorBody, SkeinError } from '../../state/errors.ts';
import type { NewRun } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { Thread } from '../../state/threads.ts';

export interface StoredTurn {
  run: NewRun;
  thread: Thread;
  /** The checkpoint that the turn ended with. */
  head: string;
}

export interface TurnOptions {
  owner?: string;
  threadId?: string;
  title?: string;
  workflow?: string;
  prompt?: string;
  /** Default: it succeeds. `accepted`: it is not ended. */
  ends?: 'failed' | 'cancelled' | 'interrupted' | 'accepted';
  /** Milliseconds since 1970 of its acceptance and its end. */
  at?: number;
  idempotencyKey?: string;
}

let steps = 0;

/** A whole turn on a thread, with one checkpoint whose channel `word` is the prompt. */
export async function storedTurn(state: State, options: TurnOptions = {}): Promise<StoredTurn> {
  const { prompt = 'A question?', at = 1, ends, workflow = 'w', idempotencyKey } = options;
  const run: NewRun = {
    runId: Bun.randomUUIDv7(),
    messageId: Bun.randomUUIDv7(),
    owner: options.owner ?? 'ann',
    threadId: options.threadId ?? 't',
    title: options.title ?? 'Title',
    workflow,
    request: { userPrompt: prompt, deadlineSeconds: 1, requestId: 'r' },
    createdAt: at,
    starts: true,
    evenInterrupted: true,
    idempotency: idempotencyKey === undefined ? undefined : { key: idempotencyKey, digest: 'd' },
  };
  const acceptance = await state.runs.accept(run);
  if (acceptance.outcome !== 'accepted') throw new Error(acceptance.outcome);
  const { thread } = acceptance;
  if (ends === 'accepted') return { run, thread, head: '' };
  const head = await checkpoint(state, thread, run, prompt);
  const interrupt = ends === 'interrupted' ? { interruptId: 'i', value: 'Really?' } : null;
  await state.runs.end({
    run: { ...run, threadKey: thread.key },
    before: thread,
    finishedAt: at,
    usage: { inputTokens: 3, outputTokens: 4 },
    agents: [],
    events: [
      {
        ...{ first: 1, last: 1, chat: { first: 1, last: 1 } },
        entries: [{ at, kind: 'message', node: 'a', body: { delta: prompt } }],
      },
    ],
    outcome:
      ends === 'failed' || ends === 'cancelled'
        ? { status: ends, error: errorBody(new SkeinError('INTERNAL_ERROR'), 'r'), partial: '' }
        : { status: ends ?? 'succeeded', ...success(prompt), ...withInterrupt(prompt, interrupt) },
  });
  return { run, thread, head };
}

function success(prompt: string) {
  return { memory: { messages: 2, tokens: 5, summary: '' }, ...withInterrupt(prompt, null) };
}

function withInterrupt(prompt: string, interrupt: { interruptId: string; value: unknown } | null) {
  const answer = { followupQuestions: {}, memorySummary: '', model: 'm' };
  const outputs = [{ agent: 'a', content: `re: ${prompt}`, data: null, finishedAt: 1 }];
  return { result: { agentResponse: `re: ${prompt}`, outputs, ...answer, interrupt } };
}

/** Puts a checkpoint as a graph does, or one inside of it with a namespace of its own; gives its id. */
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
