/** A model that answers agents immediately or when the test releases the answer, and records the questions. */
import {
  type ChatRequest,
  completion,
  isStructured,
  type Provider,
  type Script,
} from '../support/provider.ts';
import { agentOf } from './killed-workflows.ts';

export interface HeldQuestions {
  script: Script;
  /** From now on, `agent` is held at this question; the returned function releases it. */
  hold(agent: string, question: string): () => void;
  /** The same, but it streams a word after each of these promises. */
  say(agent: string, question: string, gates: Promise<void>[]): () => void;
}

export function heldQuestions(): HeldQuestions {
  const gates = new Map<string, Promise<void>>();
  const gatesByCall = new Map<string, Promise<void>[]>();
  return {
    async script(request) {
      const question = questionsOf(request).at(-1) ?? '';
      const agent = agentOf(request);
      await gates.get(`${agent} ${question}`);
      const slowly = gatesByCall.get(`${agent} ${question}`);
      if (slowly) return wordByWord(slowly, request);
      const text = `${agent} on ${question}`;
      return completion(isStructured(request) ? JSON.stringify({ facts: text }) : text, request);
    },
    hold(agent, question) {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.set(`${agent} ${question}`, promise);
      return () => {
        gates.delete(`${agent} ${question}`);
        resolve();
      };
    },
    say(agent, question, words) {
      gatesByCall.set(`${agent} ${question}`, words);
      return () => void gatesByCall.delete(`${agent} ${question}`);
    },
  };
}

async function wordByWord(gates: Promise<void>[], request: ChatRequest): Promise<Response> {
  const complete = completion(gates.map((_, index) => `word${index}`).join(' '), request);
  const lines = (await complete.text()).split('\n\n').filter((line) => line !== '');
  let words = 0;
  const body = new ReadableStream({
    async pull(stream) {
      const line = lines.shift();
      if (line === undefined) return stream.close();
      if (/"content":"word/.test(line)) await gates[words++];
      stream.enqueue(new TextEncoder().encode(`${line}\n\n`));
    },
  });
  return new Response(body, { headers: complete.headers });
}

/** The questions in a call, the current one last. */
export function questionsOf({ messages }: ChatRequest): string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => QUESTION.exec(content)?.[0] ?? []);
}

const QUESTION = /\bq[\w-]+$/;

export interface Asked {
  server: string;
  agent: string;
  question: string;
  /** The earlier questions that the model saw. */
  before: string[];
}

/** All calls so far, in order. */
export function askedQuestions({ requests, headers }: Provider): Asked[] {
  return requests.map((request, index) => {
    const questions = questionsOf(request);
    return {
      server: headers[index]?.get('authorization')?.replace('Bearer ', '') ?? '',
      agent: agentOf(request),
      question: questions.at(-1) ?? '',
      before: questions.slice(0, -1),
    };
  });
}

/** The agents that were called for a question, in order. */
export function agentsOf(provider: Provider, question: string): string[] {
  return askedQuestions(provider).flatMap((one) => (one.question === question ? one.agent : []));
}
