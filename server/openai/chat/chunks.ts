/** Converts a run's log to the chunks of a chat completion. */
import type { AnswerText } from '../../../runtime/journal/answer-text.ts';
import type { EndedRun } from '../../../runtime/run/ending/ended-run.ts';
import type { RunStream } from '../../../runtime/run/following/following.ts';
import type { LogEntry } from '../../../state/threads/events.ts';
import { openAIError } from '../errors.ts';
import { type CompletionHead, finishReason, toolCalls, toUsage } from './completion.ts';

export interface ChunkStream extends RunStream<LogEntry> {
  head: CompletionHead;
  text: AnswerText;
  includeUsage: boolean;
  /** The ended run. Called after the log entry with the response. */
  ended(): Promise<EndedRun>;
  /** Called when the stream ends. May be called twice. */
  done(): Promise<void>;
}

type Delta = Record<string, unknown>;

export async function* completionChunks(stream: ChunkStream): AsyncGenerator<string> {
  const { batches, text } = stream;
  const chunk = chunkWriter(stream);
  try {
    yield chunk({ role: 'assistant', content: '' });
    for await (const { events } of batches) {
      const content = events.map(text.add).join('');
      if (content !== '') yield chunk({ content });
      for (const entry of events) {
        if (entry.kind === 'error') yield frame(openAIError(entry.body));
        if (entry.kind === 'response') yield await finalChunks(stream, chunk);
      }
    }
  } finally {
    await stream.done();
  }
}

/** Formats data as a server-sent event. */
export function frame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

async function finalChunks(
  { ended, done, text, head, includeUsage }: ChunkStream,
  chunk: ReturnType<typeof chunkWriter>,
): Promise<string> {
  const run = await ended();
  const calls = toolCalls(head, run).map((call, index) => ({ index, ...call }));
  const rest = text.rest(run.result.agentResponse);
  await done();
  return [
    rest === '' ? '' : chunk({ content: rest }),
    calls.length > 0 ? chunk({ tool_calls: calls }) : '',
    chunk({}, finishReason(calls)),
    includeUsage ? chunk(undefined, null, toUsage(run.usage)) : '',
    'data: [DONE]\n\n',
  ].join('');
}

/** Returns a function that formats a chunk as a server-sent event. Without a delta, the chunk has no choices. */
function chunkWriter({ head: { metadata, ...head }, includeUsage }: ChunkStream) {
  return (delta?: Delta, finish: string | null = null, usage: object | null = null): string =>
    frame({
      ...{ ...head, object: 'chat.completion.chunk' },
      choices: delta ? [{ index: 0, delta, logprobs: null, finish_reason: finish }] : [],
      ...(includeUsage && { usage }),
      ...(metadata && { metadata }),
    });
}
