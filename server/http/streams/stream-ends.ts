/** Reports the end and the size of a streamed response to the access log, long after the response was returned. */

export interface StreamMeter {
  sent(text: string): void;
  ended(): void;
}

interface Listener {
  started: boolean;
  bytes: number;
  ended(): void;
}

/** Keyed by the request's signal, the only part of its request that a stream has access to. */
const listeners = new WeakMap<AbortSignal, Listener>();

/** Calls `ended` once if the response to the request with this signal is a stream. `isStream` tells whether it has started. */
export function onStreamEnd(signal: AbortSignal, ended: (bytes: number) => void): { isStream(): boolean } {
  const listener: Listener = {
    started: false,
    bytes: 0,
    ended() {
      listeners.delete(signal);
      signal.removeEventListener('abort', listener.ended);
      ended(listener.bytes);
    },
  };
  listeners.set(signal, listener);
  return { isStream: () => listener.started };
}

/** Called by the stream. Returns undefined if `onStreamEnd` wasn't called for the request. */
export function meterOf(signal: AbortSignal): StreamMeter | undefined {
  const listener = listeners.get(signal);
  if (!listener) return undefined;
  listener.started = true;
  // Bun doesn't call `return` on the generator of a stream that was never read, so watch the signal too.
  signal.addEventListener('abort', listener.ended, { once: true });
  return {
    sent(text) {
      listener.bytes += Buffer.byteLength(text);
    },
    ended() {
      if (listeners.has(signal)) listener.ended();
    },
  };
}
