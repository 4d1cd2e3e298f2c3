/** The events of a thread on the wire. */
import { expect } from 'bun:test';
import type { TestService } from '../../../support/service.ts';
import { until } from '../../support/until.ts';

export interface ReceivedEvent {
  event_id: string;
  seq: number;
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  params: { namespace: string[]; node?: string; timestamp: number; data: any };
}

export interface Listening {
  events: ReceivedEvent[];
  /** The names of its frames, with the ids. */
  frames: string[];
  /** Resolves when an event matches. */
  until(matches: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent>;
  hasEnded(): boolean;
  close(): void;
}

export const ALL = [
  ...['values', 'updates', 'messages', 'tools', 'lifecycle', 'input', 'checkpoints', 'tasks', 'custom'],
];
export const root = (event: string) => (received: ReceivedEvent) =>
  received.method === 'lifecycle' &&
  received.params.namespace.length === 0 &&
  received.params.data.event === event;

type Fetch = Pick<TestService, 'fetch'>;

export async function listen(
  { fetch }: Fetch,
  thread: string,
  subscription: object = { channels: ALL },
  headers: Record<string, string> = {},
): Promise<Listening> {
  const stop = new AbortController();
  const response = await fetch(`/threads/${thread}/stream/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(subscription),
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events: ReceivedEvent[] = [];
  const frames: string[] = [];
  let hasEnded = false;
  void (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(piece, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const frame of blocks.filter((one) => !one.startsWith(':'))) {
        const data = frame.split('\n').find((line) => line.startsWith('data: '));
        frames.push(frame);
        events.push(JSON.parse(data?.slice(6) ?? 'null'));
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      hasEnded = true;
    });
  return {
    events,
    frames,
    async until(isMatch) {
      await until(() => events.some(isMatch));
      return events.find(isMatch) as ReceivedEvent;
    },
    hasEnded: () => hasEnded,
    close: () => stop.abort(),
  };
}

let commands = 0;

/** The response to a command. */
export async function command(
  { fetch }: Fetch,
  thread: string,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
) {
  const id = ++commands;
  const response = await fetch(`/threads/${thread}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ id, method, params }),
  });
  expect(response.status).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const answer = (await response.json()) as any;
  expect(answer.id).toBe(id);
  return answer;
}
