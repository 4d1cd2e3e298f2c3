/** Reads a response from its run's log: its current body, or a stream of numbered events. */
import { type AnswerSources, answerText } from '../../../runtime/journal/answer-text.ts';
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import type { EndedRun } from '../../../runtime/run/ending/ended-run.ts';
import { answerSourcesOf } from '../../../runtime/workflows/answer-sources.ts';
import { errorBody } from '../../../state/errors.ts';
import type { Run } from '../../../state/threads/runs.ts';
import { sse, sseFrame } from '../../http/streams/sse.ts';
import type { Services } from '../../services.ts';
import { openAIError } from '../errors.ts';
import { interruptCalls } from '../interrupt-calls.ts';
import { unanswerableInterrupt } from '../thread.ts';
import { type ItemEvent, outputItems } from './output-items.ts';
import { toResponse } from './response.ts';

type Parts = Pick<Services, 'runtime' | 'registry'>;

/** The current body of the response. The output is empty until the run has ended. */
export async function currentResponse(parts: Parts, run: Run) {
  if (run.finishedAt === null) return toResponse(run, []);
  const items = await itemsOf(parts, run);
  const { batches, ended } = await follow(parts, run);
  for await (const { events } of batches) {
    for (const entry of events) {
      items.add(entry);
      if (entry.kind === 'response') items.end(await ended());
    }
  }
  return toResponse(run, items.items);
}

export interface StreamOptions {
  signal: AbortSignal;
  requestId: string;
  /** Events up to this sequence number are skipped; -1 to send all. */
  after: number;
  /** Called when the run has been read to its end, and when the stream ends. */
  done?(): Promise<void>;
}

/** Streams the events of a response. They are the same for a live and an ended run. */
export async function responseStream(parts: Parts, run: Run, options: StreamOptions): Promise<Response> {
  const { signal, requestId } = options;
  const events = eventsOf(parts, run, await follow(parts, run), options);
  return sse(texts(events, options), {
    signal,
    // The run continues elsewhere, or its log can't be read. This isn't an event of the response, so it has no number.
    failed(error) {
      const { message, code, param } = openAIError(errorBody(error, requestId)).error;
      return sseFrame({ event: 'error', data: { type: 'error', code, message, param } });
    },
  });
}

async function* texts(events: AsyncGenerator<ItemEvent[]>, { after, done }: StreamOptions) {
  let number = 0;
  // The headers are sent with the first text, so send a comment immediately: the next event may take a while.
  if (after >= 0) yield ': follows\n\n';
  try {
    for await (const batch of events) {
      let text = '';
      for (const { type, ...rest } of batch) {
        const sequence_number = number++;
        if (sequence_number > after)
          text += sseFrame({ event: type, data: { type, sequence_number, ...rest } });
      }
      if (text !== '') yield text;
    }
  } finally {
    await done?.();
  }
}

async function* eventsOf(
  parts: Parts,
  run: Run,
  { batches, ended }: Awaited<ReturnType<typeof follow>>,
  { done }: StreamOptions,
): AsyncGenerator<ItemEvent[]> {
  const items = await itemsOf(parts, run);
  const initial = toResponse({ ...run, status: 'running', finishedAt: null, error: null }, []);
  for await (const { events } of batches) {
    const itemEvents: ItemEvent[] = [];
    for (const entry of events) {
      if (entry.kind === 'run')
        itemEvents.push(
          { type: 'response.created', response: initial },
          { type: 'response.in_progress', response: initial },
        );
      itemEvents.push(...items.add(entry));
      if (entry.kind === 'response') itemEvents.push(...items.end(rejectUnanswerable(await ended())));
      if (entry.kind !== 'response' && entry.kind !== 'error') continue;
      const response = toResponse(await parts.runtime.run(run.owner, run.runId), items.items);
      await done?.();
      itemEvents.push({ type: entry.kind === 'error' ? 'response.failed' : 'response.completed', response });
    }
    yield itemEvents;
  }
}

/** Throws INVALID_REQUEST if the run has interrupts but its thread isn't kept. */
export function rejectUnanswerable(ended: EndedRun): EndedRun {
  if (ended.request.temporary && interruptCalls(ended.result).length > 0)
    throw unanswerableInterrupt('store: must be true, so that the interrupt can be answered');
  return ended;
}

async function itemsOf({ registry }: Parts, { runId, messageId, workflow, request }: Run) {
  const { graph } = registry.find(workflow) ?? {};
  const sources = graph ? await answerSourcesOf(registry.runnable(workflow)) : NO_SOURCES;
  return outputItems({ runId, messageId }, answerText(sources, { resumes: request.resume !== undefined }));
}

/** For a run of a workflow that no longer exists. */
const NO_SOURCES: AnswerSources = { kind: 'last', isLast: () => false };

function follow({ runtime }: Parts, { owner, runId }: Run) {
  return runtime.follow(owner, runId, { view: ENTRIES, after: 0 }, { orEnd: true });
}
