/** Parses server-sent events. */

export interface SentEvent {
  /** 0 without an id. */
  id: number;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response
  data: any;
}

/** Streams the events of a response, without comments. */
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

/** All events, after the response has ended. */
export const allEvents = (response: Response): Promise<SentEvent[]> => Array.fromAsync(eventsOf(response));

function parsed(frame: string): SentEvent {
  const fields = new Map(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(': ') + 2)]),
  );
  const { id = 0, event = '', data = 'null' } = Object.fromEntries(fields);
  return { id: Number(id), event, data: JSON.parse(data) };
}

/** The text of an agent's tokens. A further attempt discards earlier text. */
export function tokensOf(events: SentEvent[], agent: string): string {
  let text = '';
  for (const { event, data } of events) {
    if (data.agent !== agent) continue;
    if (event === 'agent' && data.state === 'started') text = '';
    if (event === 'token') text += data.text;
  }
  return text;
}
