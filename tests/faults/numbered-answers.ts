/** A model with numbered answers, so a stored answer shows which calls produced it. */
import { type ChatRequest, completion, isStructured, type Script } from '../support/provider.ts';
import { questionsOf } from './held-questions.ts';
import { agentOf } from './killed-workflows.ts';
import type { Random } from './seeded.ts';

export interface NumberedCall {
  number: number;
  /** Its index in the provider's requests. */
  index: number;
  /** Milliseconds since 1970. */
  at: number;
  agent: string;
  question: string;
  /** The questions and the numbered answers that the model saw, in order. */
  questions: string[];
  shown: string[];
}

export interface NumberedAnswers {
  script: Script;
  calls: NumberedCall[];
}

/** Each answer takes a while, up to `mostMs`. */
export function numberedAnswers(random: Random, mostMs: number): NumberedAnswers {
  const calls: NumberedCall[] = [];
  return {
    calls,
    async script(request, index) {
      const number = calls.length + 1;
      const questions = questionsOf(request);
      const agent = agentOf(request);
      const question = questions.at(-1) ?? '';
      calls.push({ number, index, at: Date.now(), agent, questions, question, shown: numbersIn(request) });
      await Bun.sleep(random.below(mostMs));
      const text = `${agent}#${number}`;
      return completion(isStructured(request) ? JSON.stringify({ facts: text }) : text, request);
    },
  };
}

function numbersIn({ messages }: ChatRequest): string[] {
  return messages.filter(({ role }) => role !== 'system').flatMap(({ content }) => numbered(content));
}

const numbered = (text: string): string[] => text.match(/\b\w+#\d+/g) ?? [];

export interface StoredTurn {
  question: string;
  /** The result of the run; undefined if it did not succeed. */
  result: string | undefined;
}

/**
 * Finds errors in a thread's turns, in order: each answer must consist of one call of each agent, and each of
 * these must have seen exactly the successful turns before it and the agents before it. An agent in
 * `silent` is invisible to others.
 */
export function problemsOf(calls: NumberedCall[], turns: StoredTurn[], silent: string[]): string[] {
  const problems: string[] = [];
  const names: string[] = [];
  const questions: string[] = [];
  for (const { question, result } of turns) {
    if (result === undefined) continue;
    questions.push(question);
    const { outputs } = JSON.parse(result) as { outputs: { agent: string; content: string }[] };
    for (const { agent, content } of outputs) {
      const name = numbered(content)[0] ?? content;
      const call = calls.find(({ number }) => name === `${agent}#${number}`);
      if (call?.question !== question)
        problems.push(`${question}: ${name} was not said by ${agent} about it`);
      if (call && call.questions.join() !== questions.join())
        problems.push(`${question}: ${name} was asked ${call.questions}, and not ${questions}`);
      if (call && call.shown.join() !== names.join())
        problems.push(`${question}: ${name} was shown ${call.shown}, and not ${names}`);
      if (!silent.includes(agent)) names.push(name);
    }
  }
  return problems;
}

/** The agents whose answers a result has. */
export const agentsIn = (result: string): string[] =>
  (JSON.parse(result) as { outputs: { agent: string }[] }).outputs.map(({ agent }) => agent);
