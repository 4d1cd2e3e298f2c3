/** Runs every case against a workflow, and scores the answers. */
import { SkeinApiError } from '../../../client/api-error.ts';
import { questionOf } from '../../../runtime/datasets/cases.ts';
import { type Answer, mismatches } from '../../../runtime/datasets/score.ts';
import { ask, type Connection } from '../../service/connect.ts';
import { refusalText } from '../../terminal/refusal-text.ts';
import type { NamedCase } from './read-cases.ts';

export interface Judged {
  id: string;
  prompt: string;
  /** Whether the workflow answered; a rejection or a failure says nothing about quality. */
  answered: boolean;
  right: boolean;
  /** Why the answer is wrong. */
  misses: string[];
  answer: string;
  tokens: number;
  milliseconds: number;
}

/** Runs one case after another, so that a conversation keeps its order; deletes the threads afterwards. */
export async function runCases(
  connection: Connection,
  workflow: string,
  cases: readonly NamedCase[],
): Promise<Judged[]> {
  const threads = new Map<string, string>();
  const judged: Judged[] = [];
  try {
    for (const one of cases) {
      const threadId = threads.get(one.thread ?? one.id) ?? `eval-${Bun.randomUUIDv7()}`;
      threads.set(one.thread ?? one.id, threadId);
      judged.push(await judge(connection, workflow, { ...one, thread: threadId }));
    }
  } finally {
    for (const id of threads.values())
      await ask(connection, `/api/v1/threads/${id}`, { method: 'DELETE' }).catch(() => {});
  }
  return judged;
}

async function judge(
  connection: Connection,
  workflow: string,
  { id, prompt, input, call, thread, expect }: NamedCase,
): Promise<Judged> {
  const began = performance.now();
  const headers = { ...connection.headers, 'content-type': 'application/json' };
  const [path, body] = call
    ? ['/api/v1/model-calls', { workflow, ...call }]
    : ['/api/v1/chat', { user_prompt: prompt, input, conversation_flow: workflow, thread_id: thread }];
  const done = (judged: Pick<Judged, 'answered' | 'misses' | 'answer' | 'tokens'>): Judged => {
    const milliseconds = Math.round(performance.now() - began);
    return {
      id,
      prompt: questionOf({ prompt, input, call }),
      right: judged.misses.length === 0,
      ...judged,
      milliseconds,
    };
  };
  try {
    const request = { method: 'POST', body: JSON.stringify(body) };
    const text = await ask({ ...connection, headers }, path, request);
    const answer = JSON.parse(text) as Answer & { token_count: number };
    const { agent_response, token_count } = answer;
    return done({
      answered: true,
      misses: mismatches(expect, answer),
      answer: agent_response,
      tokens: token_count,
    });
  } catch (error) {
    // A missing permission fails every other case as well.
    if (!(error instanceof SkeinApiError) || error.status === 401) throw error;
    return done({ answered: false, misses: [refusalText(error)], answer: '', tokens: 0 });
  }
}
