/** A run's log as AG-UI's events. */
import { type Event, EventType, type Interrupt } from '@ag-ui/core';
import type { AnswerText } from '../../runtime/journal/answer-text.ts';
import { callIds } from '../../runtime/journal/call-ids.ts';
import type { LogEntry, ToolCall } from '../../state/events.ts';
import type { TurnResult } from '../../state/runs.ts';

type Thought = Extract<LogEntry, { kind: 'reasoning' }>;

export interface RunEvents {
  of(entry: LogEntry): Event[];
  /** What is left of the answer when the run has ended. */
  rest(answer: string): Event[];
  /** Ends the messages that are open. */
  close(): Event[];
}

/** `messageId` is that of the first text; texts between tool calls are messages of their own. */
export function runEvents(answer: AnswerText, messageId: string): RunEvents {
  const idOf = callIds();
  let texts = 0;
  let thoughts = 0;
  let open: { id: string; end: Event[]; key: string } | undefined;

  function close(): Event[] {
    const end = open?.end ?? [];
    open = undefined;
    return end;
  }

  function said(delta: string): Event[] {
    if (delta === '') return [];
    const begin: Event[] = [];
    if (open?.key !== 'text') {
      const id = ++texts === 1 ? messageId : `${messageId}-${texts}`;
      begin.push(...close(), { type: EventType.TEXT_MESSAGE_START, messageId: id, role: 'assistant' });
      open = { id, key: 'text', end: [{ type: EventType.TEXT_MESSAGE_END, messageId: id }] };
    }
    return [...begin, { type: EventType.TEXT_MESSAGE_CONTENT, messageId: open.id, delta }];
  }

  function thought({ taskId = '', body: { id: message = '', delta } }: Thought): Event[] {
    const key = `reasoning ${taskId} ${message}`;
    const begin: Event[] = [];
    if (open?.key !== key) {
      const id = `${messageId}-reasoning-${++thoughts}`;
      begin.push(
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
    return [...begin, { type: EventType.REASONING_MESSAGE_CONTENT, messageId: open.id, delta }];
  }

  function called(call: ToolCall): Event[] {
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

  function beside(entry: LogEntry): Event[] {
    if (entry.kind === 'reasoning') return thought(entry);
    if (entry.kind === 'tool') return [...close(), ...called(entry.body)];
    if (entry.kind !== 'custom') return [];
    return [{ type: EventType.CUSTOM, name: 'custom', value: entry.body.data ?? null }];
  }

  return {
    of: (entry) => [...said(answer.add(entry)), ...beside(entry)],
    rest: (whole) => said(answer.rest(whole)),
    close,
  };
}

/** In place of an interrupt's id, where the turn has stopped and asks nothing. */
export const STOPPED = 'stopped';

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
