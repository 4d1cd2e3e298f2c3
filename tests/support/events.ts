/** Server-sent events as a test reads them. */

export interface SentEvent {
  /** 0 for one without a number. */
  id: number;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is what the test looks into
  data: any;
}

/** The events of an answer as they come; comments are left out. */
export async function* eventsOf(response: Response): AsyncGenerator<SentEvent> {
  if (!response.body) return;
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body) {
    text += decoder.decode(piece, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) if (!frame.startsWith(':')) yield parsed(frame);
  }
}

/** All of them, once the answer has ended. */
export const allEvents = (response: Response): Promise<SentEvent[]> => Array.fromAsync(eventsOf(response));

function parsed(frame: string): SentEvent {
  const fields = new Map(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(': ') + 2)]),
  );
  const { id = 0, event = '', data = 'null' } = Object.fromEntries(fields);
  return { id: Number(id), event, data: JSON.parse(data) };
}

/** What the tokens of an agent give, a further attempt discarding what came before it. */
export function tokensOf(events: SentEvent[], agent: string): string {
  let text = '';
  for (const { event, data } of events) {
    if (data.agent !== agent) continue;
    if (event === 'agent' && data.state === 'started') text = '';
    if (event === 'token') text += data.text;
  }
  return text;
}
