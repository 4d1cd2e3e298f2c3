/** Converts a run's log to AG-UI events. */
import { type Event, EventType, type Interrupt } from '@ag-ui/core';
import type { AnswerText } from '../../runtime/journal/answer-text.ts';
import { callIds } from '../../runtime/journal/call-ids.ts';
import type { LogEntry, ToolCall } from '../../state/threads/events.ts';
import type { TurnResult } from '../../state/threads/runs.ts';

type ReasoningEntry = Extract<LogEntry, { kind: 'reasoning' }>;

export interface RunEvents {
  of(entry: LogEntry): Event[];
  /** Returns the part of the answer that hasn't been streamed. `waits`: the turn was interrupted. */
  rest(answer: string, waits: boolean): Event[];
  /** Ends the open message. */
  close(): Event[];
}

/**
 * `message`: the id of the first text. Texts that are separated by tool calls are separate messages. So is the text of a turn that
 * waits, with the id `waiting`, because the run that resumes the turn has the same message.
 */
export function runEvents(answer: AnswerText, ids: { message: string; waiting: string }): RunEvents {
  const idOf = callIds();
  let texts = 0;
  let reasonings = 0;
  let open: { id: string; end: Event[]; key: string } | undefined;

  function close(): Event[] {
    const end = open?.end ?? [];
    open = undefined;
    return end;
  }

  function addText(delta: string, waits = false): Event[] {
    if (delta === '') return [];
    const start: Event[] = [];
    if (open?.key !== 'text') {
      const next = ++texts === 1 ? ids.message : `${ids.message}-${texts}`;
      const id = waits ? ids.waiting : next;
      start.push(...close(), { type: EventType.TEXT_MESSAGE_START, messageId: id, role: 'assistant' });
      open = { id, key: 'text', end: [{ type: EventType.TEXT_MESSAGE_END, messageId: id }] };
    }
    return [...start, { type: EventType.TEXT_MESSAGE_CONTENT, messageId: open.id, delta }];
  }

  function addReasoning({ taskId = '', body: { id: message = '', delta } }: ReasoningEntry): Event[] {
    const key = `reasoning ${taskId} ${message}`;
    const start: Event[] = [];
    if (open?.key !== key) {
      const id = `${ids.message}-reasoning-${++reasonings}`;
      start.push(
        ...close(),
        { type: EventType.REASONING_START, messageId: id },
        { type: EventType.REASONING_MESSAGE_START, messageId: id, role: 'reasoning' },
      );
      const end: Event[] = [
        { type: EventType.REASONING_MESSAGE_END, messageId: id },
        { type: EventType.REASONING_END, messageId: id },
      ];
      open = { id, key, end };
    }
    return [...start, { type: EventType.REASONING_MESSAGE_CONTENT, messageId: open.id, delta }];
  }

  function toolEvents(call: ToolCall): Event[] {
    const toolCallId = idOf(call);
    const { tool: toolCallName, state, input = null, output = null, error = '' } = call;
    if (state !== 'started') {
      const content = state === 'failed' ? error : textOf(output);
      return [
        {
          type: EventType.TOOL_CALL_RESULT,
          messageId: `${toolCallId}-result`,
          toolCallId,
          content,
          role: 'tool',
        },
      ];
    }
    return [
      { type: EventType.TOOL_CALL_START, toolCallId, toolCallName },
      { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(input) },
      { type: EventType.TOOL_CALL_END, toolCallId },
    ];
  }

  /** The events of entries that aren't text of the answer. */
  function otherEvents(entry: LogEntry): Event[] {
    if (entry.kind === 'reasoning') return addReasoning(entry);
    if (entry.kind === 'tool') return [...close(), ...toolEvents(entry.body)];
    if (entry.kind !== 'custom') return [];
    return [{ type: EventType.CUSTOM, name: 'custom', value: entry.body.data ?? null }];
  }

  return {
    of: (entry) => [...addText(answer.add(entry)), ...otherEvents(entry)],
    rest: (whole, waits) => addText(answer.restOfMessage(whole, waits), waits),
    close,
  };
}

/** The interrupt id if the turn stopped at a breakpoint, without an interrupt. */
export const STOPPED = 'stopped';

/** Converts interrupts for AG-UI. A stop at a breakpoint becomes an interrupt with the reason `stopped`. */
export function interruptsOf({
  interrupts,
  stoppedAt,
}: Pick<TurnResult, 'interrupts' | 'stoppedAt'>): Interrupt[] {
  if (interrupts.length === 0)
    return [{ id: STOPPED, reason: 'stopped', metadata: { stopped_at: stoppedAt } }];
  return interrupts.map(({ interruptId: id, value, agent }) => ({
    ...{ id, reason: 'interrupt', metadata: { value: value ?? null, agent } },
    ...(typeof value === 'string' && { message: value }),
  }));
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
