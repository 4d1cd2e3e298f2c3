/** The runs of a message as the AI SDK's UI message stream. */
import type { UIMessageChunk } from 'ai';
import { answerText, type Speakers } from '../../runtime/journal/answer-text.ts';
import type { EndedRun } from '../../runtime/run/ended-run.ts';
import type { Followed } from '../../runtime/runtime.ts';
import type { ErrorBody } from '../../state/errors.ts';
import type { LogEntry } from '../../state/events.ts';
import { waits } from '../../state/runs.ts';
import { turnTokens } from '../../state/turn-usage.ts';
import { aiSdkError } from './errors.ts';
import { messageParts } from './message-parts.ts';
import { resumeCalls } from './resume-calls.ts';

/** A run that says a part of a message: it answers what the one before it asks. */
export interface RunOfMessage extends Followed<LogEntry> {
  runId: string;
  threadId: string;
  messageId: string;
  speakers: Speakers;
  /** It goes on with a message that an earlier run began. */
  resumes: boolean;
  /** What a person has answered. */
  given: UIMessageChunk[];
}

/** Runs are opened one after another, when the one before has been said. */
export type OpenRun = () => Promise<RunOfMessage>;

const DONE = 'data: [DONE]\n\n';

function frame(chunk: UIMessageChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export function errorFrames(error: Pick<ErrorBody, 'message' | 'detail'>): string {
  return frame({ type: 'error', errorText: aiSdkError(error) }) + DONE;
}

export async function* messageStream(runs: OpenRun[]): AsyncGenerator<string> {
  for (const [index, open] of runs.entries()) {
    const run = await open();
    const opening = index === 0 ? [startOf(run)] : run.given;
    yield [...opening, { type: 'start-step' } as const].map(frame).join('');
    yield* stepOf(run, index === runs.length - 1);
  }
  yield DONE;
}

function startOf({ runId, threadId, messageId }: RunOfMessage): UIMessageChunk {
  return { type: 'start', messageId, messageMetadata: { thread_id: threadId, run_id: runId } };
}

async function* stepOf(run: RunOfMessage, isLast: boolean): AsyncGenerator<string> {
  const text = answerText(run.speakers, { resumes: run.resumes });
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

/** Somebody has stopped it: what was said stands. */
function failureOf(error: ErrorBody): UIMessageChunk {
  if (error.error_code === 'RUN_CANCELLED') return { type: 'abort', reason: error.message };
  return { type: 'error', errorText: aiSdkError(error) };
}

async function endOf(
  { runId, ended }: RunOfMessage,
  parts: ReturnType<typeof messageParts>,
  isLast: boolean,
): Promise<UIMessageChunk[]> {
  const run = await ended();
  const { result } = run;
  // A turn that waits has no answer yet: the run that goes on says it.
  const rest = waits(result) ? [] : parts.rest(result.agentResponse);
  const said = [...rest, ...parts.close(), ...resumeCalls(runId, result)];
  const finish: UIMessageChunk = {
    type: 'finish',
    finishReason: waits(result) ? 'tool-calls' : 'stop',
    messageMetadata: metadataOf(run),
  };
  return [...said, { type: 'finish-step' }, ...(isLast ? [finish] : [])];
}

function metadataOf(run: EndedRun) {
  const { runId, result } = run;
  const { model, followupQuestions } = result;
  return { run_id: runId, model, token_count: turnTokens(run), followup_questions: followupQuestions };
}
