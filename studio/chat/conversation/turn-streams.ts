/** The event streams of turns. The client's code for them is loaded with the first turn. */
import type { RunStreamEvent } from '../../../client/run-events.ts';
import type { ResumeRequest } from '../../../server/chat/resume.ts';
import type { ChatRequest } from '../../../server/chat/schema.ts';
import type { Thread } from '../../data/threads/threads.ts';
import { options, SERVICE } from '../../service/service.ts';

type Stream = (signal: AbortSignal) => AsyncGenerator<RunStreamEvent, void>;

export function sending(request: Omit<ChatRequest, 'stream'>): Stream {
  return async function* (signal) {
    const { streamChat } = await import('../../../client/stream-chat.ts');
    const { interruptOptions } = await import('../../data/threads/breakpoints.ts');
    const interrupts = interruptOptions(request.conversation_flow);
    yield* streamChat(SERVICE, { ...interrupts, ...request }, { ...options, signal });
  };
}

export function answering(
  { thread_id, workflow }: Pick<Thread, 'thread_id' | 'workflow'>,
  request: Omit<ResumeRequest, 'stream'>,
): Stream {
  return async function* (signal) {
    const { streamResume } = await import('../../../client/stream-chat.ts');
    const { interruptOptions } = await import('../../data/threads/breakpoints.ts');
    yield* streamResume(
      SERVICE,
      thread_id,
      { ...interruptOptions(workflow), ...request },
      { ...options, signal },
    );
  };
}

export function following(run: string): Stream {
  return async function* (signal) {
    const { followRun } = await import('../../../client/follow-run.ts');
    yield* followRun(SERVICE, run, { ...options, signal });
  };
}
