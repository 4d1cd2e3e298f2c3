/** The streams of turns, loaded with the first one. */
import type { RunStreamEvent } from '../../client/run-events.ts';
import type { ResumeRequest } from '../../server/chat/resume.ts';
import type { ChatRequest } from '../../server/chat/schema.ts';
import { options, SERVICE } from '../service.ts';

type Stream = (signal: AbortSignal) => AsyncGenerator<RunStreamEvent, void>;

export function sending(request: Omit<ChatRequest, 'stream'>): Stream {
  return async function* (signal) {
    const { streamChat } = await import('../../client/stream-chat.ts');
    yield* streamChat(SERVICE, request, { ...options, signal });
  };
}

export function answering(thread: string, request: Omit<ResumeRequest, 'stream'>): Stream {
  return async function* (signal) {
    const { streamResume } = await import('../../client/stream-chat.ts');
    yield* streamResume(SERVICE, thread, request, { ...options, signal });
  };
}

export function following(run: string): Stream {
  return async function* (signal) {
    const { followRun } = await import('../../client/follow-run.ts');
    yield* followRun(SERVICE, run, { ...options, signal });
  };
}
