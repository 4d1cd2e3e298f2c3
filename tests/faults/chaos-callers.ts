/** Random operations of callers: each scenario is a few operations, and checks their responses. */
import type { Chaos } from './chaos.ts';
import { type Caller, type CallerResult, caller } from './chaos-client.ts';
import { type Random, seeded } from './seeded.ts';

/** An idle thread that was forked, and its fork. */
export interface Fork {
  from: string;
  to: string;
}

/** The responses that all callers received. */
export interface Received {
  results: CallerResult[];
  forks: Fork[];
  deleted: { owner: string; thread: string }[];
  asked: { owner: string; thread: string; content: string | undefined }[];
  problems: string[];
  operations: Record<string, number>;
}

type Form = 'json' | 'stream' | 'async';

interface TurnOptions {
  form?: Form;
  strategy?: string;
  mayEnd?: string[];
  mayBeRefused?: boolean;
}

const SHARED_TURNS = 12;
const FORMS: Form[] = ['json', 'stream', 'async'];
const numbers = { question: 0, thread: 0, shared: 0 };

/** Runs scenarios until `goesOn` returns false. Two callers may have the same owner. */
export async function calls(
  chaos: Chaos,
  owner: string,
  seed: number,
  received: Received,
  shouldContinue: () => boolean,
): Promise<void> {
  const random = seeded(seed);
  const one = caller(owner, chaos, random, received.problems);
  const scenarios = Object.entries(SCENARIOS).flatMap(([name, [weight]]) => Array<string>(weight).fill(name));
  while (shouldContinue()) {
    const name = random.of(scenarios);
    try {
      await SCENARIOS[name]?.[1](session(one, received), random);
    } catch (error) {
      received.problems.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

function session({ owner, random, sendUntilAnswered, streamed }: Caller, received: Received) {
  const count = (name: string) => {
    received.operations[name] = (received.operations[name] ?? 0) + 1;
  };
  return {
    owner,
    received,
    thread: () => `t-${++numbers.thread}`,
    count,
    async turn(
      thread: string,
      { form = random.of(FORMS), strategy, mayEnd = ['succeeded'], mayBeRefused }: TurnOptions = {},
    ) {
      const question = `q-${owner}-${++numbers.question}`;
      count(strategy ?? form);
      const body = {
        ...{ user_prompt: question, thread_id: thread, conversation_flow: 'pair', on_disconnect: 'continue' },
        ...(strategy && { multitask_strategy: strategy }),
      };
      const headers = { 'idempotency-key': question, ...(form === 'async' && { prefer: 'respond-async' }) };
      const sentAt = Date.now();
      const answer = await (form === 'stream' ? streamed : sendUntilAnswered)({
        path: '/chat',
        body,
        headers,
      });
      const isRefused = answer.status === 409 && ['THREAD_BUSY'].includes(answer.body.error_code);
      const isEnded = answer.status === 200 || answer.status === 202;
      const isCancelled = answer.body?.error_code === 'RUN_CANCELLED' && mayEnd.includes('cancelled');
      const isGivenUp = answer.body?.error_code === 'RUN_CRASHED';
      if (!isEnded && !isCancelled && !isGivenUp && !(isRefused && mayBeRefused))
        received.problems.push(`${form} ${question}: ${answer.status} ${JSON.stringify(answer.body)}`);
      const made: CallerResult = {
        ...{ owner, thread, question, sent: body, sentAt, answeredAt: Date.now(), ...answer },
        mayEnd: isRefused ? [] : mayEnd,
      };
      received.results.push(made);
      return made;
    },
    async ask(name: string, request: Parameters<typeof sendUntilAnswered>[0], ...statuses: number[]) {
      count(name);
      const answer = await sendUntilAnswered(request);
      if (answer.body?.error_code !== 'RUN_CRASHED' && !statuses.includes(answer.status))
        received.problems.push(
          `${name} ${request.path} of ${owner}: ${answer.status} ${JSON.stringify(answer.body)}`,
        );
      return answer;
    },
  };
}

type Session = ReturnType<typeof session>;

const SCENARIOS: Record<string, [weight: number, (session: Session, random: Random) => Promise<void>]> = {
  shared: [
    40,
    async ({ owner, turn }) => {
      await turn(`shared-${owner}-${Math.floor(numbers.shared++ / SHARED_TURNS)}`);
    },
  ],
  repeat: [
    10,
    async ({ owner, received, ask }, random) => {
      const all = received.results.filter(
        (one) => one.owner === owner && one.body?.run_id && one.mayEnd[0] === 'succeeded',
      );
      if (all.length === 0) return;
      const { thread, question, body, sent: again } = random.of(all);
      if (received.deleted.some((one) => one.thread === thread)) return;
      const headers = { 'idempotency-key': question, prefer: 'respond-async' };
      const same = await ask('repeat', { path: '/chat', body: again, headers }, 202);
      if (same.body.run_id !== body.run_id)
        received.problems.push(`repeat of ${question} is ${same.body.run_id}`);
      const other = { ...again, user_prompt: 'q-another' };
      const refused = await ask('mismatch', { path: '/chat', body: other, headers }, 422, 409);
      if (refused.body.error_code !== 'IDEMPOTENCY_MISMATCH')
        received.problems.push(`mismatch of ${question}`);
    },
  ],
  cancel: [
    10,
    async ({ thread, turn, ask, received }, random) => {
      const own = thread();
      const { body, question } = await turn(own, { form: 'async', mayEnd: ['succeeded', 'cancelled'] });
      await Bun.sleep(random.below(120));
      const { body: run } = await ask('cancel', { path: `/runs/${body.run_id}/cancel`, body: {} }, 200);
      if (run.finished_at === null) received.problems.push(`cancelled ${question} is ${run.status}`);
      const found = await ask('get', { method: 'GET', path: `/runs/${body.run_id}` }, 200);
      if (found.body.status !== run.status)
        received.problems.push(`${question} was ${run.status}, is ${found.body.status}`);
      await turn(own);
    },
  ],
  resume: [
    8,
    async ({ owner, thread, received, ask }) => {
      const own = thread();
      const question = `q-${owner}-${++numbers.question}`;
      const body = {
        user_prompt: question,
        thread_id: own,
        conversation_flow: 'asking',
        on_disconnect: 'continue',
      };
      const key = (number: number) => ({ 'idempotency-key': `${question}-${number}` });
      await ask('ask', { path: '/chat', body, headers: key(0) }, 200);
      const resume = (number: number) =>
        ask(
          'resume',
          { path: `/threads/${own}/resume`, body: { value: `A${number}` }, headers: key(number) },
          200,
        );
      if ((await resume(1)).status !== 200) return;
      const { status, body: last } = await resume(2);
      if (status !== 200) return;
      received.asked.push({ owner, thread: own, content: last.outputs?.[0]?.content });
    },
  ],
  fork: [
    8,
    async ({ thread, turn, ask, received }, random) => {
      const from = thread();
      const first = await turn(from, { form: random.of(['json', 'stream']) });
      // A run that was killed three times at its start leaves nothing to fork.
      if (first.body?.error_code === 'RUN_CRASHED') return;
      const { body } = await ask('fork', { path: `/threads/${from}/fork`, body: {} }, 201);
      received.forks.push({ from, to: body.thread_id });
      await turn(body.thread_id);
    },
  ],
  delete: [
    8,
    async ({ owner, thread, turn, ask, received }, random) => {
      const own = thread();
      const turns = [await turn(own, { form: 'async' }), await turn(own, { form: 'async' })];
      // The repeat of a request may arrive after the deletion, and then starts a new thread.
      if (turns.some(({ tries }) => tries !== 1)) return;
      await Bun.sleep(random.below(150));
      received.deleted.push({ owner, thread: own });
      await ask('delete', { method: 'DELETE', path: `/threads/${own}` }, 204, 404);
      await ask('gone', { method: 'GET', path: `/threads/${own}/messages` }, 404);
    },
  ],
  supersede: [
    8,
    async ({ thread, turn }, random) => {
      const own = thread();
      await turn(own, { form: 'async', mayEnd: ['succeeded', 'cancelled'] });
      await Bun.sleep(random.below(100));
      await turn(own, { strategy: 'supersede' });
    },
  ],
  reject: [
    4,
    async ({ thread, turn }) => {
      const own = thread();
      await turn(own, { form: 'async' });
      await turn(own, { strategy: 'reject', mayBeRefused: true });
    },
  ],
  pry: [
    4,
    async ({ owner, received, ask }, random) => {
      const others = received.results.filter((one) => one.owner !== owner && one.body?.run_id);
      if (others.length > 0)
        await ask('pry', { method: 'GET', path: `/runs/${random.of(others).body.run_id}` }, 404);
    },
  ],
};
