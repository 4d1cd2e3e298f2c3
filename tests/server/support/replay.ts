/** Replays a model call of a run. */
import type { Answer, TestService } from '../../support/service.ts';
import { answerOf } from './refused.ts';
import type { RunningService } from './running.ts';

export const HELLO = { messages: [{ role: 'user', content: 'Hello' }] };

export function replay(
  at: Pick<RunningService, 'fetch'>,
  run: string,
  body: object,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Answer> {
  return answerOf(
    at.fetch(`/api/v1/runs/${run}/calls/replay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: signal ?? null,
    }),
  );
}

/** The id of a run that has ended. */
export async function runOf(
  service: Pick<TestService, 'chat'>,
  body: object = {},
  headers = {},
): Promise<string> {
  return (await service.chat({ user_prompt: 'My pedal broke', thread_id: 't', ...body }, headers)).body
    .run_id;
}
