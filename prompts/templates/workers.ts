/** Worker threads that parse and render expensive templates: a thread that misses its deadline is terminated and replaced. */
import { SkeinError } from '../../state/errors.ts';
import { TemplateFailure } from './failure.ts';
import { LIMITS } from './limits.ts';
import type { Job, Outcome } from './worker.ts';

const MAX_THREADS = 2;
const MAX_WAITING = 64;
// The thread enforces the deadline itself; this is for a step that does not return.
const GRACE_MS = 150;
const START_MS = 10_000;
// A template within its limits takes a tenth of a second; only its author waits for it.
const PARSE_MS = 5_000;

interface Waiting {
  job: Job;
  answer: PromiseWithResolvers<Done>;
}

type Done = Exclude<Outcome, { failure: string }>;

export interface RenderThreads {
  render(template: string, variables: Record<string, unknown>): Promise<string>;
  needs(template: string): Promise<ReadonlySet<string>>;
}

/** Throws TemplateFailure, and OVERLOADED if too many calls wait. Threads start on demand. */
export function renderThreads(): RenderThreads {
  const idle: Worker[] = [];
  const queue: Waiting[] = [];
  let threads = 0;

  async function work(): Promise<void> {
    const next = queue.shift();
    if (!next) return;
    threads++;
    let thread: Worker | undefined;
    try {
      thread = idle.pop() ?? (await startThread());
      next.answer.resolve(await done(thread, next.job));
    } catch (error) {
      next.answer.reject(error);
      if (error instanceof Overdue) thread?.terminate();
    }
    threads--;
    if (thread && !ended.has(thread)) idle.push(thread);
    void work();
  }

  async function doneBySome(job: Job): Promise<Done> {
    if (queue.length >= MAX_WAITING) throw new SkeinError('OVERLOADED', { retryAfter: 1 });
    const answer = Promise.withResolvers<Done>();
    queue.push({ job, answer });
    if (threads < MAX_THREADS) void work();
    return answer.promise;
  }

  return {
    async render(template, variables) {
      const outcome = await doneBySome({ template, variables });
      if ('text' in outcome) return outcome.text;
      throw new Error('a worker returned no text');
    },
    async needs(template) {
      const outcome = await doneBySome({ template });
      if ('needs' in outcome) return outcome.needs;
      throw new Error('a worker returned no names');
    },
  };
}

const ended = new WeakSet<Worker>();

class Overdue extends TemplateFailure {
  constructor() {
    super(`rendering takes longer than ${LIMITS.milliseconds} ms`);
  }
}

async function startThread(): Promise<Worker> {
  const thread = new Worker(new URL('./worker.ts', import.meta.url).href, { ref: false });
  try {
    await messageOf(thread, START_MS);
    return thread;
  } catch (error) {
    ended.add(thread);
    thread.terminate();
    throw error;
  }
}

async function done(thread: Worker, job: Job): Promise<Done> {
  const answered = messageOf(thread, job.variables ? LIMITS.milliseconds + GRACE_MS : PARSE_MS);
  thread.postMessage(job);
  const outcome = (await answered.catch((error) => {
    ended.add(thread);
    throw error;
  })) as Outcome;
  if ('failure' in outcome) throw new TemplateFailure(outcome.failure);
  return outcome;
}

/** The thread's next message; Overdue if none comes in time or the thread ends. */
function messageOf(thread: Worker, milliseconds: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const timer = setTimeout(() => reject(new Overdue()), milliseconds);
  thread.onmessage = ({ data }) => resolve(data);
  thread.onerror = () => reject(new Overdue());
  return promise.finally(() => clearTimeout(timer));
}
