/** One turn of a terminal conversation: its events as lines and text, as they arrive. */
import type { RunStreamEvent } from '../../../../client/run-events.ts';
import { shown } from '../../../terminal/style.ts';
import type { Waiting } from '../interrupt/waiting.ts';
import { agentTexts, type Screen } from './agent-texts.ts';
import { shortText, toolLines } from './tool-lines.ts';

export interface TurnEnd {
  threadId: string | undefined;
  waiting: Waiting;
  failed: boolean;
}

/** Shows a run to its end. If the response contains more than was streamed, the rest is printed. */
export async function showTurn(events: AsyncIterable<RunStreamEvent>, screen: Screen): Promise<TurnEnd> {
  const { style } = screen;
  const end: TurnEnd = { threadId: undefined, waiting: { interrupts: [], stopped_at: [] }, failed: false };
  const speaking = agentTexts(screen);
  const toolLine = toolLines();
  try {
    for await (const one of events) show(one);
    return end;
  } finally {
    speaking.end();
  }

  function show({ event, data }: RunStreamEvent): void {
    if (event === 'run') end.threadId = data.thread_id;
    else if (event === 'agent') {
      if (data.state === 'started') speaking.restart(data.agent);
      else speaking.pause(data.agent);
      speaking.note(style.dim(agentLine(data)));
    } else if (event === 'status') {
      // Steps are for debugging; show only what an agent announces.
      if (data.step === undefined) speaking.note(style.dim(`  ${shown(data.agent)}: ${shown(data.text)}`));
    } else if (event === 'token') speaking.say(data.agent, data.text);
    else if (event === 'tool') {
      const line = toolLine(data);
      if (line !== undefined) speaking.note(style.dim(line));
    } else if (event === 'custom')
      speaking.note(style.dim(shown(`  ${data.agent}: ${shortText(JSON.stringify(data.data))}`)));
    else if (event === 'response') {
      end.waiting = data;
      speaking.end();
      for (const { agent, content } of data.outputs) speaking.settle(agent, content);
      speaking.note(style.dim(`${data.token_count} tokens, ${data.model}`));
      for (const question of Object.values(data.followup_questions))
        speaking.note(style.dim(`  next? ${shown(question)}`));
    } else if (event === 'error') {
      end.failed = true;
      const detail = data.detail ? `: ${data.detail}` : '';
      speaking.end();
      speaking.note(
        style.bad(shown(`${data.error_code}: ${data.message}${detail} (request ${data.request_id})`)),
      );
    }
  }
}

function agentLine({
  agent,
  state,
  attempt,
  duration_ms,
}: Extract<RunStreamEvent, { event: 'agent' }>['data']) {
  const again = attempt > 1 ? ` again (attempt ${attempt})` : '';
  const took = duration_ms === undefined ? '' : ` after ${(duration_ms / 1000).toFixed(1)} s`;
  const mark = { started: '▸', finished: '✓', failed: '✗' }[state];
  return `${mark} ${shown(agent)}${state === 'started' ? again : ` ${state}${took}`}`;
}
