/** Converts the runs of a message to the AI SDK's UI message stream. */
import type { UIMessageChunk } from 'ai';
import { type AnswerSources, answerText } from '../../runtime/journal/answer-text.ts';
import type { EndedRun } from '../../runtime/run/ending/ended-run.ts';
import type { RunStream } from '../../runtime/run/following/following.ts';
import type { ErrorBody } from '../../state/errors.ts';
import type { LogEntry } from '../../state/threads/events.ts';
import { isInterrupted } from '../../state/threads/runs.ts';
import { turnTokens } from '../../state/usage/turn-usage.ts';
import { aiSdkError } from './errors.ts';
import { messageParts } from './message-parts.ts';
import { resumeCalls } from './resume-calls.ts';

/** A run of a message. Each run after the first resumes the interrupts of the one before. */
export interface MessageRun extends RunStream<LogEntry> {
  runId: string;
  threadId: string;
  messageId: string;
  sources: AnswerSources;
  /** Whether the run continues the message of an earlier run. */
  resumes: boolean;
  /** The answers to the interrupts of the run before, as tool outputs. */
  answers: UIMessageChunk[];
}

/** Called when the run before has been streamed to its end. */
export type OpenRun = () => Promise<MessageRun>;

const DONE = 'data: [DONE]\n\n';

function frame(chunk: UIMessageChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export function errorFrames(error: Pick<ErrorBody, 'message' | 'detail'>): string {
  return frame({ type: 'error', errorText: aiSdkError(error) }) + DONE;
}

/** Yields the server-sent events of one message, with a step for each run. */
export async function* messageStream(runs: OpenRun[]): AsyncGenerator<string> {
  for (const [index, open] of runs.entries()) {
    const run = await open();
    const start = index === 0 ? [startChunk(run)] : run.answers;
    yield [...start, { type: 'start-step' } as const].map(frame).join('');
    yield* streamStep(run, index === runs.length - 1);
  }
  yield DONE;
}

function startChunk({ runId, threadId, messageId }: MessageRun): UIMessageChunk {
  return { type: 'start', messageId, messageMetadata: { thread_id: threadId, run_id: runId } };
}

async function* streamStep(run: MessageRun, isLast: boolean): AsyncGenerator<string> {
  const text = answerText(run.sources, { resumes: run.resumes });
  const parts = messageParts(text);
  for await (const { events } of run.batches) {
    const chunks: UIMessageChunk[] = [];
    for (const entry of events) {
      if (entry.kind === 'error') chunks.push(...parts.close(), failureOf(entry.body));
      else if (entry.kind === 'response') chunks.push(...(await endOf(run, parts, isLast)));
      else chunks.push(...parts.of(entry));
    }
    if (chunks.length > 0) yield chunks.map(frame).join('');
  }
}

/** A cancelled run isn't an error: `abort` keeps the text so far. */
function failureOf(error: ErrorBody): UIMessageChunk {
  if (error.error_code === 'RUN_CANCELLED') return { type: 'abort', reason: error.message };
  return { type: 'error', errorText: aiSdkError(error) };
}

async function endOf(
  { runId, ended }: MessageRun,
  parts: ReturnType<typeof messageParts>,
  isLast: boolean,
): Promise<UIMessageChunk[]> {
  const run = await ended();
  const { result } = run;
  const rest = parts.rest(result.agentResponse, isInterrupted(result));
  const chunks = [...rest, ...parts.close(), ...resumeCalls(runId, result)];
  const finish: UIMessageChunk = {
    type: 'finish',
    finishReason: isInterrupted(result) ? 'tool-calls' : 'stop',
    messageMetadata: metadataOf(run),
  };
  return [...chunks, { type: 'finish-step' }, ...(isLast ? [finish] : [])];
}

function metadataOf(run: EndedRun) {
  const { runId, result } = run;
  const { model, followupQuestions } = result;
  return { run_id: runId, model, token_count: turnTokens(run), followup_questions: followupQuestions };
}
