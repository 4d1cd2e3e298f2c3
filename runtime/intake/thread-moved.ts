/** Thrown if a turn must follow a run (`NewRun.follows`) that is no longer the newest of its thread. */
export class ThreadMoved extends Error {
  override readonly name = 'ThreadMoved';
}
