/** What a thread waits for: a person's answers, or just a message to continue. */
import type { ResumeRequest } from '../../../../server/chat/resume.ts';
import type { ChatResponse } from '../../../../server/chat/schema.ts';
import { shown } from '../../../terminal/style.ts';
import { answerTo, questionOf } from './question.ts';

export type Waiting = Pick<ChatResponse, 'interrupts' | 'stopped_at'>;
export type Interrupt = Waiting['interrupts'][number];

export function waits({ interrupts, stopped_at }: Waiting): boolean {
  return interrupts.length > 0 || stopped_at.length > 0;
}

/** `Stopped before writer, after lookup/search`: a node of a subgraph is named with the node that contains it. */
export function stopText({ stopped_at }: Waiting): string {
  const places = stopped_at.map(({ agent, when, path }) => `${when} ${[...path, agent].join('/')}`);
  return `Stopped ${shown(places.join(', '))}.`;
}

/** The agent that asks, if several ask. */
export function askerOf({ agent, path }: Interrupt): string {
  return shown([...path, agent].join('/'));
}

/** For a person who answers later: the questions, and how to answer. */
export function waitingText(waiting: Waiting, threadId: string): string {
  const [first, ...others] = waiting.interrupts;
  const command = `skein chat --thread ${shown(threadId)}`;
  if (!first) return `${stopText(waiting)}\nTo continue it, send an empty message: ${command}`;
  if (others.length === 0) return `${questionOf(first.value)}To answer: ${command}`;
  const questions = waiting.interrupts.map(
    (one) => `${askerOf(one)} (${one.interrupt_id}):\n${questionOf(one.value)}\n`,
  );
  return `${questions.join('')}To answer: ${command}\nA single message must be JSON with these ids: {"ID": ANSWER}`;
}

/** A single message as the answer; undefined if it doesn't answer what the thread waits for. */
export function answerIn(waiting: Waiting, message: string): Omit<ResumeRequest, 'stream'> | undefined {
  const [first, ...others] = waiting.interrupts;
  const isEmpty = message.trim() === '';
  if (!first) return isEmpty ? {} : undefined;
  // An empty message is not an answer: it would approve.
  if (isEmpty) return undefined;
  if (others.length === 0) return { value: answerTo(first.value, message) };
  const values = answerTo(undefined, message);
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return undefined;
  return { values: values as Record<string, unknown> };
}
