/** The guarantees for a run whose process was killed at any moment. */
import { expect } from 'bun:test';
import type { ReceivedEvent } from '../support/listener.ts';
import { USAGE } from '../support/provider.ts';
import type { Answer, Crash, Recovery } from './lane.ts';

/** The parts of an answer that don't depend on when and where it is produced. */
export function stableParts({ message_id, run_id, thread_id, token_count, ...answer }: Answer): Answer {
  const interrupts = answer.interrupts?.map(({ value }: { value: unknown }) => value);
  return { ...answer, interrupt: answer.interrupt?.value, interrupts };
}

export function expectRecovered({ answer }: Recovery, { runId }: Crash): void {
  // The run that continues is the one in the client's response.
  if (runId !== undefined) expect(answer.run_id).toBe(runId);
}

/** `agents` are in order. Finished ones are not called again, and none is called more than twice. */
export function expectCallsOnce({ calls }: Recovery, agents: string[], { finished, ended }: Crash): void {
  const counts = agents.map((agent) => calls.filter((called) => called === agent).length);
  const cutOff = counts[finished] === 2 && !ended ? finished : -1;
  expect(calls.filter((called) => !agents.includes(called))).toEqual([]);
  expect(counts).toEqual(agents.map((_, index) => (index === cutOff ? 2 : 1)));
}

/** All calls are counted, except possibly that of the interrupted agent. */
export function expectTokens({ calls, answer }: Recovery, agents: string[]): void {
  const each = USAGE.total_tokens;
  expect(answer.token_count % each).toBe(0);
  expect(answer.token_count).toBeWithin(each * agents.length, each * calls.length + 1);
}

/** A client that was disconnected and rejoined has received each event of the run once, in order. */
export function expectWholeStream({ events, answer }: Recovery): void {
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  const { run_id, message_id } = answer;
  expect(events[0]).toMatchObject({ event: 'run', data: { run_id, message_id } });
  expect(events.at(-2)).toMatchObject({ event: 'response', data: answer });
  expect(events.at(-1)).toMatchObject({ event: 'end', data: {} });
  for (const once of ['run', 'response', 'end'])
    expect(events.filter(({ event }) => event === once)).toHaveLength(1);
}

/** Attempts are numbered; the received text of an agent's last attempt is its output. */
export function expectTexts({ events }: Recovery, expected: Record<string, string>): void {
  const attempts = new Map<string, number[]>();
  const texts = new Map<string, string>();
  for (const { event, data } of events) {
    if (event === 'agent' && data.state === 'started') {
      attempts.set(data.agent, [...(attempts.get(data.agent) ?? []), data.attempt]);
      if (data.attempt > 1) texts.delete(data.agent);
    }
    if (event === 'token') texts.set(data.agent, (texts.get(data.agent) ?? '') + data.text);
  }
  for (const numbers of attempts.values()) expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(Object.fromEntries(texts)).toEqual(expected);
}

export function contents({ outputs }: Answer, speakers: string[]): Record<string, string> {
  const answers = (outputs as ReceivedEvent['data'][]).filter(({ agent }) => speakers.includes(agent));
  return Object.fromEntries(answers.map(({ agent, content }) => [agent, content]));
}
