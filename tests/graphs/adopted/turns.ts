/** Turns of the programs over HTTP: questions, a person's answers, and streams. */
import { expect } from 'bun:test';
import { allEvents, type SentEvent } from '../../support/events.ts';
import type { Answer } from '../../support/service.ts';
import type { Program } from './programs.ts';

export interface Reached {
  url: string;
}

/** Posts under /api/v1. */
export function post({ url }: Reached, path: string, body: object): Promise<Response> {
  return fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export async function posted(service: Reached, path: string, body: object): Promise<Answer> {
  const response = await post(service, path, body);
  const { status, headers } = response;
  return { status, headers, body: await response.json() };
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
export async function got({ url }: Reached, path: string): Promise<any> {
  return (await fetch(`${url}/api/v1${path}`)).json();
}

interface Interrupt {
  interrupt_id: string;
  agent: string;
}

/** The body of a resume with these answers. */
export function answering(interrupts: Interrupt[], answer: Record<string, string>) {
  expect(interrupts.map(({ agent }) => agent).sort()).toEqual(Object.keys(answer).sort());
  return {
    values: Object.fromEntries(interrupts.map(({ interrupt_id, agent }) => [interrupt_id, answer[agent]])),
  };
}

/** Runs the whole turn over chat; returns its last answer. */
export async function chatted(service: Reached, program: Program, threadId: string): Promise<Answer> {
  const { name, chatBody, answers = [] } = program;
  let answer = await posted(service, '/chat', { ...chatBody, conversation_flow: name, thread_id: threadId });
  for (const value of answers) {
    expect(answer).toMatchObject({ status: 200, body: { event_type: 'interrupt' } });
    const body = answering(answer.body.interrupts, value);
    answer = await posted(service, `/threads/${threadId}/resume`, body);
  }
  return answer;
}

/** Returns the events of the whole turn, one stream after the other. */
export async function streamed(service: Reached, program: Program, threadId: string): Promise<SentEvent[]> {
  const { name, chatBody, answers = [] } = program;
  const body = { ...chatBody, conversation_flow: name, thread_id: threadId, stream: true };
  const events = await allEvents(await post(service, '/chat', body));
  for (const value of answers) {
    const asks = events.findLast(({ event }) => event === 'response')?.data.interrupts;
    const more = { ...answering(asks, value), stream: true };
    events.push(...(await allEvents(await post(service, `/threads/${threadId}/resume`, more))));
  }
  return events;
}
