/** A caller that repeats its request at any server until it is answered, and records the response. */
import { eventsOf, type SentEvent } from '../support/events.ts';
import { type Chaos, keyOf } from './chaos.ts';
import type { Random } from './seeded.ts';

/** The response to a turn. */
export interface CallerResult {
  owner: string;
  thread: string;
  question: string;
  /** The request's body. */
  sent: object;
  /** Milliseconds. */
  sentAt: number;
  answeredAt: number;
  /** The number of attempts. */
  tries?: number;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  body: any;
  /** The statuses with which its run may have ended; empty if it was rejected. */
  mayEnd: string[];
  events?: SentEvent[];
}

export interface Asked {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

/** The time after which it asks another server. */
const PATIENCE_MS = [1_500, 4_000, 15_000];
const GIVE_UP_MS = 90_000;

class NotAnswered extends Error {}

export function caller(
  owner: string,
  { servers, logged }: Pick<Chaos, 'servers' | 'logged'>,
  random: Random,
  problems: string[],
) {
  async function ask(
    { method = 'POST', path, body, headers }: Asked,
    patience = random.of(PATIENCE_MS),
  ): Promise<Response> {
    return fetch(`${random.of(servers).url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': keyOf(owner), ...headers },
      signal: AbortSignal.timeout(patience),
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** Repeats the request until a server responds. */
  async function sendUntilAnswered(
    request: Asked,
  ): Promise<{ status: number; body: CallerResult['body']; tries: number }> {
    const until = performance.now() + GIVE_UP_MS;
    let last: unknown;
    for (let tries = 1; performance.now() < until; tries++) {
      try {
        const response = await ask(request);
        const text = await response.text();
        const body = text === '' ? null : JSON.parse(text);
        if (response.status < 500 || body.error_code === 'RUN_CRASHED')
          return { status: response.status, body, tries };
        last = text;
        if (response.status !== 503) {
          await Bun.sleep(200);
          problems.push(
            `${request.method ?? 'POST'} ${request.path}: ${response.status} ${text}`,
            ...logged(body.request_id),
          );
        }
      } catch (error) {
        last = error;
      }
      await Bun.sleep(20 + random.below(200));
    }
    throw new NotAnswered(`${request.method ?? 'POST'} ${request.path} of ${owner}: ${last}`);
  }

  /** All events of a turn; rejoins the stream when it breaks. */
  async function streamed(
    request: Asked,
  ): Promise<{ status: number; body: CallerResult['body']; events: SentEvent[] }> {
    const until = performance.now() + GIVE_UP_MS;
    const events: SentEvent[] = [];
    while (performance.now() < until) {
      const runId = events[0]?.data.run_id;
      const after = events.at(-1)?.id ?? 0;
      const again = {
        method: 'GET' as const,
        path: `/runs/${runId}/stream`,
        headers: { 'last-event-id': `${after}` },
      };
      try {
        const stream = { ...request, headers: { ...request.headers, accept: 'text/event-stream' } };
        const response = await ask(runId === undefined ? stream : again);
        if (response.status < 500 && response.status !== 200)
          return { status: response.status, body: await response.json(), events };
        if (response.status === 200)
          for await (const event of eventsOf(response)) if (event.id > 0) events.push(event);
        if (events.at(-1)?.event === 'end') return { status: 200, body: events.at(-2)?.data, events };
      } catch {
        // The received events stay valid.
      }
      await Bun.sleep(20 + random.below(200));
    }
    throw new NotAnswered(
      `stream of ${JSON.stringify(request.body)}: ${events.length} events, the last ${JSON.stringify(events.at(-1))}`,
    );
  }

  return { owner, random, sendUntilAnswered, streamed };
}

export type Caller = ReturnType<typeof caller>;
