/** A turn was to follow a run, and the thread no longer stands there. */
export class ThreadMoved extends Error {
  override readonly name = 'ThreadMoved';
}
