/** Acts when a request's caller closes the connection. */

/** Also acts if the caller is already gone. The returned function stops waiting. */
export function whenCallerGone(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}
