/** Starts the turn of a run request, or resumes the thread's pending interrupts. */
import type { ResumeRequest, Turn, TurnRequest } from '../../runtime/intake/turn.ts';
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Services } from '../services.ts';
import { STOPPED } from './run-events.ts';
import type { RunAgentInput } from './schema.ts';
import { parseUserMessage } from './user-message.ts';

export type Call = Pick<ResumeRequest, 'owner' | 'threadId' | 'requestId' | 'traceparent'>;

/** Throws INVALID_REQUEST for a message without content, and the errors of the runtime. */
export async function startTurn(
  services: Services,
  { name: workflow, adopted }: RunnableWorkflow,
  { call, input }: { call: Call; input: RunAgentInput },
): Promise<Turn> {
  const { prompt, content } = parseUserMessage(input.messages);
  const message = { role: 'user' as const, content };
  const changedState = adopted ? await findChangedState(services, call, input.state) : {};
  const hasChanged = Object.keys(changedState).length > 0;
  const turnInput: Pick<TurnRequest, 'input' | 'conversation'> = hasChanged
    ? { input: { ...changedState, messages: [message] } }
    : { conversation: typeof content === 'string' ? undefined : [message] };
  return services.runtime.turn({ ...call, ...turnInput, prompt, workflow, strategy: 'enqueue' });
}

/** Throws INVALID_REQUEST for a cancelled interrupt, because the thread would still wait for its answer. */
export async function resumeTurn(
  { runtime }: Services,
  { resume = [] }: RunAgentInput,
  call: Call,
): Promise<Turn> {
  if (resume.some(({ status }) => status === 'cancelled'))
    throw new SkeinError('INVALID_REQUEST', {
      detail: 'resume: status must be "resolved". To cancel an interrupt, cancel its run.',
    });
  const answers = resume.filter(({ interruptId }) => interruptId !== STOPPED);
  const values = Object.fromEntries(answers.map(({ interruptId, payload = null }) => [interruptId, payload]));
  return runtime.resume({ ...call, ...(answers.length > 0 && { values }) });
}

/** The channels that the client changed. It sends back the state that it received, and unchanged channels must not be written. */
async function findChangedState(
  { archive, states }: Services,
  { owner, threadId }: Call,
  state: unknown,
): Promise<Record<string, unknown>> {
  if (typeof state !== 'object' || state === null) return {};
  const { messages: _, ...channels } = state as Record<string, unknown>;
  if (Object.keys(channels).length === 0) return {};
  const thread = await archive.threads.find(owner, threadId);
  const current = (thread && (await states.at(thread))?.values) as Record<string, unknown> | undefined;
  const changed = Object.entries(channels).filter(([name, value]) => !Bun.deepEquals(value, current?.[name]));
  return Object.fromEntries(changed);
}
