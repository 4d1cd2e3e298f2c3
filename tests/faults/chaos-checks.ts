/** The invariants of all responses, the provider's log and the final database. */
import { AGENTS, type Chaos, type Claim, type StoredRun } from './chaos.ts';
import type { Fork, Received } from './chaos-callers.ts';
import type { CallerResult } from './chaos-client.ts';
import { wrongEvents } from './chaos-events.ts';
import { wrongReplays } from './chaos-replays.ts';
import { timelineOf } from './chaos-timeline.ts';
import { agentsIn, problemsOf } from './numbered-answers.ts';

export async function chaosProblems(chaos: Chaos, received: Received): Promise<string[]> {
  const stored = await chaos.history.runs();
  const claims = Map.groupBy(await chaos.history.claims(), ({ run_id }) => run_id);
  const timeline = (run: StoredRun) => timelineOf(chaos, run, claims.get(run.run_id) ?? []);
  const remaining = received.results.filter(
    ({ thread }) => !received.deleted.some((one) => one.thread === thread),
  );
  return [
    ...chaos.problems,
    ...received.problems,
    ...(await chaos.history.damage()),
    ...stored
      .filter(({ thread_id }) => received.deleted.some((one) => one.thread === thread_id))
      .map((run) => `${run.question} is left of a deleted thread`),
    ...remaining.flatMap((result) => wrongEnd(result, stored, timeline)),
    ...stored
      .filter(
        (run) =>
          run.workflow === 'pair' && !received.results.some(({ question }) => question === run.question),
      )
      .map((run) => `no caller got a response for ${run.question}, ${run.status}`),
    ...wrongOrder(remaining, stored),
    ...wrongThreads(chaos, stored, received.forks),
    ...received.asked
      .filter(({ content }) => content !== 'A1, A2')
      .map((one) => `answers of ${one.thread}: ${one.content}`),
    ...wrongCalls(chaos, stored, received.results, claims),
    ...(await wrongReplays(chaos, received, stored)),
  ];
}

/** Each acknowledged turn exists once, as in its response. */
function wrongEnd(
  outcome: CallerResult,
  stored: StoredRun[],
  timeline: (run: StoredRun) => string[],
): string[] {
  const { question, mayEnd, body, events } = outcome;
  const runs = stored.filter((run) => run.question === question && run.owner.endsWith(outcome.owner));
  const [run] = runs;
  if (mayEnd.length === 0) return runs.length === 0 ? [] : [`${question} was refused, and is ${run?.status}`];
  if (runs.length !== 1 || !run) return [`${question} is there ${runs.length} times`];
  const problems: string[] = [];
  const isGivenUp = run.error?.includes('RUN_CRASHED') && run.takeovers >= 3;
  if (isGivenUp) return [];
  if (!mayEnd.includes(run.status)) problems.push(`${question} is ${run.status}: ${run.error}`);
  if (body?.run_id !== undefined && body.run_id !== run.run_id)
    problems.push(`${question} is ${run.run_id}, but its response says ${body.run_id}`);
  if (run.status === 'succeeded' && run.messages !== 2)
    problems.push(`${question} has ${run.messages} messages`);
  const result = JSON.parse(run.result ?? '{}');
  if (body?.agent_response !== undefined && body.agent_response !== result.agentResponse)
    problems.push(`${question} was answered ${body.agent_response}, and is ${result.agentResponse}`);
  if (events && run.status === 'succeeded') problems.push(...wrongEvents(question, events, result));
  return problems.length === 0 ? [] : [...problems, ...timeline(run)];
}

/** A turn that was answered before another one was sent precedes it. */
function wrongOrder(results: CallerResult[], stored: StoredRun[]): string[] {
  const problems: string[] = [];
  const byQuestion = new Map(results.map((one) => [one.question, one]));
  for (const runs of Map.groupBy(stored, ({ owner, thread_id }) => `${owner} ${thread_id}`).values()) {
    const all = runs.flatMap(({ question }) => byQuestion.get(question) ?? []);
    for (const [index, later] of all.entries())
      for (const earlier of all.slice(0, index))
        if (later.answeredAt < earlier.sentAt)
          problems.push(`${later.question} comes after ${earlier.question}`);
  }
  return problems;
}

/** Each turn that succeeded has one answer of each agent, which saw exactly the successful turns before it. */
function wrongThreads({ answers }: Chaos, stored: StoredRun[], forks: Fork[]): string[] {
  const pairs = stored.filter(({ workflow }) => workflow === 'pair');
  const threads = Map.groupBy(pairs, ({ thread_id }) => thread_id);
  return [...threads].flatMap(([id, runs]) => {
    const from = forks.find(({ to }) => to === id)?.from;
    const turns = [...(threads.get(from ?? '') ?? []), ...runs];
    const made = turns.map(({ question, status, result }) => ({
      question,
      result: status === 'succeeded' && result ? result : undefined,
    }));
    const agents = made.flatMap(({ question, result }) =>
      result && agentsIn(result).join() !== AGENTS.join() ? [`${question} is of ${agentsIn(result)}`] : [],
    );
    return [...agents, ...problemsOf(answers.calls, made, [])];
  });
}

/** No agent is called after the next one, or twice by a server that held the run all the time. A server that lost a run makes at most one more call. An answered turn makes no more calls. */
function wrongCalls(
  chaos: Chaos,
  stored: StoredRun[],
  results: CallerResult[],
  claims: Map<string, Claim[]>,
): string[] {
  const { answers, provider } = chaos;
  const answered = new Map(
    results.flatMap(({ question, body, answeredAt }) =>
      body?.agent_response === undefined ? [] : [[question, answeredAt]],
    ),
  );
  const byQuestion = Map.groupBy(answers.calls, ({ question }) => question);
  return stored.flatMap(({ run_id, question, workflow }) => {
    if (workflow !== 'pair') return [];
    const own = claims.get(run_id) ?? [];
    const problems: string[] = [];
    const stale = new Map<string, number>();
    let newest = { agent: -1, claim: -1 };
    for (const { agent, at, index } of byQuestion.get(question) ?? []) {
      const server = provider.headers[index]?.get('authorization')?.replace('Bearer ', '') ?? '';
      const claim = own.findLastIndex((one) => one.at <= at + 1);
      const holder = own[claim];
      const place = AGENTS.indexOf(agent);
      // Its acceptance was lost in a crash of the database, before any caller got a response.
      if (claim < 0) continue;
      if (holder?.server !== server) {
        stale.set(server, (stale.get(server) ?? 0) + 1);
        continue;
      }
      if (at > (answered.get(question) ?? Number.POSITIVE_INFINITY))
        problems.push(`${question}: ${agent} was called after the turn was answered, by ${server}`);
      if (place < newest.agent)
        problems.push(`${question}: ${agent} was called again after ${AGENTS[newest.agent]}, by ${server}`);
      if (place === newest.agent && claim === newest.claim) {
        // A server that was paused may have lost the run and claimed it again: the call that it made before it noticed counts.
        const hasLost = own.slice(0, claim).some((one) => one.server === server);
        if (hasLost) stale.set(server, (stale.get(server) ?? 0) + 1);
        else problems.push(`${question}: ${agent} was called twice by ${server}`);
      }
      newest = { agent: Math.max(place, newest.agent), claim };
    }
    for (const [server, count] of stale) {
      const lost = own.filter((one) => one.server === server).length;
      if (count > lost) problems.push(`${question}: ${server} made ${count} calls without having the run`);
    }
    return problems.length === 0 ? [] : [...problems, ...timelineOf(chaos, { run_id, question }, own)];
  });
}
