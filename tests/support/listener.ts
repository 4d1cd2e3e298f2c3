/** A listener of a run's event stream, which keeps what it has heard whole when the connection is lost. */

export interface HeardEvent {
  /** 0 where the stream gave none. */
  id: number;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is what the test looks into
  data: any;
}

/** Reads until the stream ends or breaks; `heard` is called after each event. */
export async function listen(
  response: Response,
  heard: (events: HeardEvent[]) => void = () => {},
): Promise<HeardEvent[]> {
  const events: HeardEvent[] = [];
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
        heard(events);
      }
    }
  } catch {
    // The service was killed: what was heard stands.
  }
  return events;
}

function eventOf(frame: string): HeardEvent {
  const fields = Object.fromEntries(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return { id: Number(fields.id ?? 0), event: fields.event ?? '', data: JSON.parse(fields.data ?? 'null') };
}
