/** Shared by the tests of streams: quick retries, and assertions on a complete stream. */
import { expect } from 'bun:test';
import type { RunStreamEvent } from '../../client/client.ts';

/** Retries immediately and never reuses a connection, because the proxy counts its cuts by connection. */
export const QUICK = {
  retry: { firstDelayMs: 1, longestDelayMs: 5 },
  fetch: (url: string, init?: RequestInit) => fetch(url, { ...init, keepalive: false }),
};

export const ASKED = { user_prompt: 'My pedal broke. 🚲 Ünï', conversation_flow: 'classification-agent' };

/** Asserts that every event arrived once, in order, from `run` to `end`, with all of the text. `answer` is the last agent's text if there are several agents. */
export function expectWhole(events: RunStreamEvent[], text: string, answer = text): void {
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  expect(events[0]?.event).toBe('run');
  expect(events.at(-1)?.event).toBe('end');
  expect(textOf(events)).toBe(text);
  const response = events.at(-2);
  expect(response?.event === 'response' && response.data.outputs.at(-1)?.content).toBe(answer);
}

export function textOf(events: RunStreamEvent[]): string {
  return events.map((event) => (event.event === 'token' ? event.data.text : '')).join('');
}

/** The error with which a stream failed. */
export async function failureOf(events: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const _ of events);
  } catch (error) {
    return error;
  }
  throw new Error('the stream did not fail');
}
