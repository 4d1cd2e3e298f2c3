/** When a stream of events ends, and how many bytes it had: the answer that carries it is made long before. */

export interface StreamMeter {
  sent(text: string): void;
  ended(): void;
}

interface Waiting {
  begun: boolean;
  bytes: number;
  ended(): void;
}

/** By the signal of the request, which is what a stream knows of it. */
const waiting = new WeakMap<AbortSignal, Waiting>();

/** Calls `ended` once if the answer to the request with this signal is a stream; `isStream` is true if it is one. */
export function awaitStream(signal: AbortSignal, ended: (bytes: number) => void): { isStream(): boolean } {
  const entry: Waiting = {
    begun: false,
    bytes: 0,
    ended() {
      waiting.delete(signal);
      signal.removeEventListener('abort', entry.ended);
      ended(entry.bytes);
    },
  };
  waiting.set(signal, entry);
  return { isStream: () => entry.begun };
}

/** For the stream itself; undefined where nobody waits for its end. */
export function meterOf(signal: AbortSignal): StreamMeter | undefined {
  const entry = waiting.get(signal);
  if (!entry) return undefined;
  entry.begun = true;
  // A stream that nobody has read from is given up without a word to its generator.
  signal.addEventListener('abort', entry.ended, { once: true });
  return {
    sent(text) {
      entry.bytes += Buffer.byteLength(text);
    },
    ended() {
      if (waiting.has(signal)) entry.ended();
    },
  };
}
