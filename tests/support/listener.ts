/** A listener of a run's event stream. It keeps complete events if the connection is lost. */

export interface ReceivedEvent {
  /** 0 without an id. */
  id: number;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response
  data: any;
}

/** Reads until the stream ends or breaks, and calls `heard` after each event. */
export async function listen(
  response: Response,
  onEvents: (events: ReceivedEvent[]) => void = () => {},
): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        if (frame.startsWith(':')) continue;
        events.push(eventOf(frame));
        onEvents(events);
      }
    }
  } catch {
    // The service was killed: keep the received events.
  }
  return events;
}

function eventOf(frame: string): ReceivedEvent {
  const fields = Object.fromEntries(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return { id: Number(fields.id ?? 0), event: fields.event ?? '', data: JSON.parse(fields.data ?? 'null') };
}
