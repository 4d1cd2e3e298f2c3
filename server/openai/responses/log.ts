/** A response as its run's log tells it: whole, or as numbered events. */
import { answerText, type Speakers } from '../../../runtime/journal/answer-text.ts';
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import type { EndedRun } from '../../../runtime/run/ended-run.ts';
import { speakersOf } from '../../../runtime/workflows/speakers.ts';
import { errorBody } from '../../../state/errors.ts';
import type { Run } from '../../../state/runs.ts';
import { sse, sseFrame } from '../../http/sse.ts';
import type { Services } from '../../services.ts';
import { openAIError } from '../errors.ts';
import { interruptCalls } from '../interrupt-calls.ts';
import { unansweredQuestion } from '../thread.ts';
import { type ItemEvent, outputItems } from './output-items.ts';
import { toResponse } from './response.ts';

type Parts = Pick<Services, 'runtime' | 'registry'>;

/** The response as it is now; its output comes with its end. */
export async function wholeResponse(parts: Parts, run: Run) {
  if (run.finishedAt === null) return toResponse(run, []);
  const items = await itemsOf(parts, run);
  const { batches, ended } = await followed(parts, run);
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
  /** Events up to this number are left out. */
  after: number;
  /** Called when there is no more to read of the run. */
  done?(): Promise<void>;
}

/** The same run gives the same events, live or later. */
export async function responseStream(parts: Parts, run: Run, options: StreamOptions): Promise<Response> {
  const { signal, requestId } = options;
  const events = eventsOf(parts, run, await followed(parts, run), options);
  return sse(texts(events, options), {
    signal,
    // The run goes on, or its log cannot be read: this is no event of the response and has no number.
    failed(error) {
      const { message, code, param } = openAIError(errorBody(error, requestId)).error;
      return sseFrame({ event: 'error', data: { type: 'error', code, message, param } });
    },
  });
}

async function* texts(events: AsyncGenerator<ItemEvent[]>, { after, done }: StreamOptions) {
  let number = 0;
  // An answer has no headers before its first text, and the next event may take long.
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
  { batches, ended }: Awaited<ReturnType<typeof followed>>,
  { done }: StreamOptions,
): AsyncGenerator<ItemEvent[]> {
  const items = await itemsOf(parts, run);
  const begun = toResponse({ ...run, status: 'running', finishedAt: null, error: null }, []);
  for await (const { events } of batches) {
    const told: ItemEvent[] = [];
    for (const entry of events) {
      if (entry.kind === 'run')
        told.push(
          { type: 'response.created', response: begun },
          { type: 'response.in_progress', response: begun },
        );
      told.push(...items.add(entry));
      if (entry.kind === 'response') told.push(...items.end(refuseUnanswered(await ended())));
      if (entry.kind !== 'response' && entry.kind !== 'error') continue;
      const response = toResponse(await parts.runtime.run(run.owner, run.runId), items.items);
      await done?.();
      told.push({ type: entry.kind === 'error' ? 'response.failed' : 'response.completed', response });
    }
    yield told;
  }
}

/** Throws INVALID_REQUEST for a turn that asks a person and leaves no thread. */
export function refuseUnanswered(ended: EndedRun): EndedRun {
  if (ended.request.temporary && interruptCalls(ended.result).length > 0)
    throw unansweredQuestion('store: keep the response, so that the question can be answered');
  return ended;
}

async function itemsOf({ registry }: Parts, { runId, messageId, workflow, request }: Run) {
  const { graph } = registry.find(workflow) ?? {};
  const speakers = graph ? await speakersOf(registry.runnable(workflow)) : NOBODY;
  return outputItems({ runId, messageId }, answerText(speakers, { resumes: request.resume !== undefined }));
}

/** Of a workflow that is no longer there. */
const NOBODY: Speakers = { kind: 'last', isLast: () => false };

function followed({ runtime }: Parts, { owner, runId }: Run) {
  return runtime.follow(owner, runId, { view: ENTRIES, after: 0 }, { orEnd: true });
}
