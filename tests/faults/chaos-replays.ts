/** What callers can still read at the end: the events of their runs, and the messages of their threads. */
import { allEvents } from '../support/events.ts';
import { USAGE } from '../support/provider.ts';
import { AGENTS, type Chaos, keyOf, type StoredRun } from './chaos.ts';
import type { Received } from './chaos-callers.ts';
import { wrongEvents } from './chaos-events.ts';
import { timelineOf } from './chaos-timeline.ts';

/** The number of runs and threads to read, evenly distributed over the history. */
const MAX_REPLAYS = 1_000;

export async function wrongReplays(chaos: Chaos, received: Received, stored: StoredRun[]): Promise<string[]> {
  const pairs = stored.filter(({ workflow }) => workflow === 'pair');
  const runs = spread(pairs.filter(({ status }) => status === 'succeeded'));
  const forked = new Set(received.forks.map(({ to }) => to));
  const threads = [...Map.groupBy(pairs, ({ owner, thread_id }) => `${owner} ${thread_id}`).values()];
  const complete = spread(threads.filter(([first]) => first && !forked.has(first.thread_id)));
  const claims = Map.groupBy(await chaos.history.claims(), ({ run_id }) => run_id);
  const problems: string[] = [];
  for (const run of runs) {
    const wrong = await wrongReplay(chaos, run);
    if (wrong.length > 0) problems.push(...wrong, ...timelineOf(chaos, run, claims.get(run.run_id) ?? []));
  }
  for (const turns of complete) problems.push(...(await wrongMessages(chaos, turns)));
  return problems;
}

async function wrongReplay(chaos: Chaos, { run_id, owner, question, result }: StoredRun): Promise<string[]> {
  const response = await read(chaos, owner, `/runs/${run_id}/stream`);
  if (response.status !== 200) return [`the events of ${question} are answered with ${response.status}`];
  const events = (await allEvents(response)).filter(({ id }) => id > 0);
  const tokens = events.find(({ event }) => event === 'response')?.data.token_count;
  const least = AGENTS.length * USAGE.total_tokens;
  return [
    ...wrongEvents(`${question} afterwards`, events, JSON.parse(result ?? '{}')),
    ...(tokens >= least ? [] : [`${question} has used ${tokens} tokens, and not ${least}`]),
  ];
}

/** The questions of a thread, in the order in which its turns were accepted; a cancelled one may be missing. */
async function wrongMessages(chaos: Chaos, turns: StoredRun[]): Promise<string[]> {
  const { owner = '', thread_id } = turns[0] ?? {};
  const response = await read(chaos, owner, `/threads/${thread_id}/messages?limit=100`);
  const { messages = [] } = (await response.json()) as { messages?: { role: string; content: string }[] };
  const questions = messages.flatMap(({ role, content }) => (role === 'user' ? content : []));
  const expected = turns
    .filter(({ status, question }) => status === 'succeeded' || questions.includes(question))
    .map(({ question }) => question);
  return questions.join() === expected.join()
    ? []
    : [`${thread_id} of ${owner} shows ${questions}, not ${expected}`];
}

function read({ servers }: Chaos, owner: string, path: string): Promise<Response> {
  const name = owner.slice(owner.indexOf(':') + 1);
  const headers = { 'x-api-key': keyOf(name), accept: '*/*' };
  return fetch(`${servers[0]?.url}/api/v1${path}`, { headers });
}

function spread<T>(list: T[]): T[] {
  const step = Math.max(1, Math.ceil(list.length / MAX_REPLAYS));
  return list.filter((_, index) => index % step === 0);
}
