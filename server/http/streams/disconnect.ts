/** Runs a callback when the client of a request disconnects. */

/** Calls `act` immediately if the client has already disconnected. Returns a function that removes the callback. */
export function onDisconnect(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}
