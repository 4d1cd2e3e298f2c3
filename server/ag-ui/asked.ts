/** What a run's request asks: a turn, or to go on with what the thread waits for. */
import type { ResumeRequest, Turn, TurnRequest } from '../../runtime/intake/turn.ts';
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Services } from '../services.ts';
import { questionIn } from './question.ts';
import { STOPPED } from './run-events.ts';
import type { RunAgentInput } from './schema.ts';

export type Call = Pick<ResumeRequest, 'owner' | 'threadId' | 'requestId' | 'traceparent'>;

export async function ask(
  services: Services,
  { name: workflow, adopted }: RunnableWorkflow,
  { call, input }: { call: Call; input: RunAgentInput },
): Promise<Turn> {
  const { prompt, content } = questionIn(input.messages);
  const message = { role: 'user' as const, content };
  const changed = adopted ? await changedState(services, call, input.state) : {};
  const hasChanged = Object.keys(changed).length > 0;
  const begins: Pick<TurnRequest, 'input' | 'conversation'> = hasChanged
    ? { input: { ...changed, messages: [message] } }
    : { conversation: typeof content === 'string' ? undefined : [message] };
  return services.runtime.turn({ ...call, ...begins, prompt, workflow, strategy: 'enqueue' });
}

/** Throws INVALID_REQUEST for an interrupt that is given up: the thread would wait on. */
export async function answer(
  { runtime }: Services,
  { resume = [] }: RunAgentInput,
  call: Call,
): Promise<Turn> {
  if (resume.some(({ status }) => status === 'cancelled'))
    throw new SkeinError('INVALID_REQUEST', { detail: 'resume: cancel the run that asks, or answer it' });
  const answers = resume.filter(({ interruptId }) => interruptId !== STOPPED);
  const values = Object.fromEntries(answers.map(({ interruptId, payload = null }) => [interruptId, payload]));
  return runtime.resume({ ...call, ...(answers.length > 0 && { values }) });
}

/** The client sends the state back that it was given: what it has not changed must not be written again. */
async function changedState(
  { archive, states }: Services,
  { owner, threadId }: Call,
  state: unknown,
): Promise<Record<string, unknown>> {
  if (typeof state !== 'object' || state === null) return {};
  const { messages: _, ...given } = state as Record<string, unknown>;
  if (Object.keys(given).length === 0) return {};
  const thread = await archive.threads.find(owner, threadId);
  const known = (thread && (await states.at(thread))?.values) as Record<string, unknown> | undefined;
  const changed = Object.entries(given).filter(([name, value]) => !Bun.deepEquals(value, known?.[name]));
  return Object.fromEntries(changed);
}
