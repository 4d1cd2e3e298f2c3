/** One turn of a terminal conversation: its events as lines and text, as they come. */
import type { RunStreamEvent } from '../../client/run-events.ts';
import { type Style, shown } from '../terminal.ts';

export interface Screen {
  write(text: string): void;
  style: Style;
}

export interface TurnEnd {
  threadId: string | undefined;
  /** What the thread waits for, where it does. */
  interrupt: { value: unknown } | null;
  failed: boolean;
}

/** Shows a run to its end. The response is what counts: where it says more than was streamed, the rest follows. */
export async function showTurn(
  events: AsyncIterable<RunStreamEvent>,
  { write, style }: Screen,
): Promise<TurnEnd> {
  const end: TurnEnd = { threadId: undefined, interrupt: null, failed: false };
  /** What each agent has said so far. */
  const said = new Map<string, string>();
  let atLineStart = true;
  const print = (text: string) => {
    if (text === '') return;
    write(text);
    atLineStart = text.endsWith('\n');
  };
  const line = (text: string) => print(`${atLineStart ? '' : '\n'}${text}\n`);

  for await (const { event, data } of events) {
    if (event === 'run') end.threadId = data.thread_id;
    else if (event === 'agent') {
      if (data.state === 'started') said.delete(data.agent);
      line(style.dim(agentLine(data)));
    } else if (event === 'status') line(style.dim(`  ${shown(data.agent)}: ${shown(data.text)}`));
    else if (event === 'token') {
      said.set(data.agent, (said.get(data.agent) ?? '') + data.text);
      print(shown(data.text));
    } else if (event === 'interrupt') end.interrupt = { value: data.value };
    else if (event === 'response') {
      for (const { agent, content } of data.outputs) {
        const rest = unsaid(said.get(agent) ?? '', content);
        if (rest.trim() !== '') line(shown(rest).trim());
      }
      if (!atLineStart) print('\n');
      line(style.dim(`${data.token_count} tokens, ${data.model}`));
    } else if (event === 'error') {
      end.failed = true;
      const detail = data.detail ? `: ${data.detail}` : '';
      line(style.bad(shown(`${data.error_code}: ${data.message}${detail} (request ${data.request_id})`)));
    }
  }
  return end;
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

/** An agent may say more than it streamed, or in the end something else. */
function unsaid(streamed: string, content: string): string {
  const begun = streamed.trim();
  return content.startsWith(begun) ? content.slice(begun.length) : content;
}
