/** Converts interrupts to calls of a tool `resume`, and the outputs that the client adds to the message to resume values. */
import type { UIMessageChunk } from 'ai';
import type { ResumeRequest } from '../../runtime/intake/turn.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Resume, TurnResult } from '../../state/threads/runs.ts';
import type { PendingInterrupt } from '../../state/threads/threads.ts';
import type { Message, MessagePart } from './schema.ts';

const TOOL = 'resume';
/** The interrupt id if the turn stopped at a breakpoint, without an interrupt. */
const STOPPED = 'stopped';

export function resumeCalls(
  runId: string,
  { interrupts, stoppedAt }: Pick<TurnResult, 'interrupts' | 'stoppedAt'>,
): UIMessageChunk[] {
  if (interrupts.length > 0)
    return interrupts.map(({ interruptId, value }) => call(runId, interruptId, value));
  return stoppedAt.length > 0 ? [call(runId, STOPPED, { stopped_at: stoppedAt })] : [];
}

/** The outputs that a client has sent, for a client that reads the message from its beginning. */
export function resumeOutputs({ runId, values }: Resume): UIMessageChunk[] {
  const answers = Object.entries(values);
  const outputs = answers.length > 0 ? answers : [[STOPPED, {}] as const];
  return outputs.map(([id, output]) => ({
    type: 'tool-output-available',
    toolCallId: callId(runId, id),
    output,
  }));
}

/** The answers to the pending interrupts. Throws INTERRUPT_NOT_FOUND if the message has none. */
export function resumeValuesOf(
  { parts }: Message,
  { runId }: PendingInterrupt,
): Pick<ResumeRequest, 'values'> {
  const prefix = callId(runId, '');
  const outputs = parts.flatMap(({ type, toolCallId, state, output }: MessagePart) => {
    const isAnswer = type === `tool-${TOOL}` && state === 'output-available';
    if (!isAnswer || typeof toolCallId !== 'string' || !toolCallId.startsWith(prefix)) return [];
    return [[toolCallId.slice(prefix.length), output] as const];
  });
  if (outputs.length === 0) {
    throw new SkeinError('INTERRUPT_NOT_FOUND', {
      detail: `messages: the last message has no output of a pending '${TOOL}' call`,
    });
  }
  const values = outputs.filter(([id]) => id !== STOPPED);
  return values.length === 0 ? {} : { values: Object.fromEntries(values) };
}

/** Includes the run, because a node may raise two interrupts with the same id in successive runs. */
function callId(runId: string, interruptId: string): string {
  return `${runId}.${interruptId}`;
}

function call(runId: string, interruptId: string, input: unknown): UIMessageChunk {
  return { type: 'tool-input-available', toolCallId: callId(runId, interruptId), toolName: TOOL, input };
}
