/** A few connections to one server, each opened at first use and reopened after a loss. */
import { SkeinError } from '../../../state/errors.ts';
import { openPool, type Pool } from '../../processes/pool.ts';
import { SqlError } from '../engine.ts';
import { failureOf, timeoutError, unreachable } from './failure.ts';
import type { CloudDriver, Session } from './session.ts';
import type { Target } from './target.ts';

export interface Connections {
  /**
   * Runs `work` in a transaction that is rolled back. Throws DATABASE_CONNECTION_FAILED, OVERLOADED, a SqlError or the signal's
   * reason.
   */
  use<T>(work: (session: Session) => Promise<T>, bounds: Bounds): Promise<T>;
  close(): void;
}

interface Bounds {
  seconds: number;
  signal?: AbortSignal | undefined;
}

interface Slot {
  session: Session | undefined;
}

const CONNECTIONS = 4;
const WAITING = 64;
// Added to the timeout, so that the server's own timeout comes first.
const GRACE_MS = 250;
const CONNECT_MS = 6_000;

export function openConnections(driver: CloudDriver, target: Target): Connections {
  const slots: Slot[] = Array.from({ length: CONNECTIONS }, () => ({ session: undefined }));
  const pool: Pool<Slot> = openPool(slots, { jobs: 'SQL statements', maxWaiting: WAITING });
  let closed = false;

  async function attempt<T>(slot: Slot, work: (session: Session) => Promise<T>, bounds: Bounds): Promise<T> {
    await ready(slot, bounds);
    const { session } = slot;
    if (!session) throw unreachable();
    const ms = bounds.seconds * 1000;
    try {
      const late = timeoutError(bounds.seconds);
      const given = await within(transaction(session, work), {
        ms: ms + GRACE_MS,
        late,
        signal: bounds.signal,
      });
      return given;
    } catch (error) {
      if (bounds.signal?.aborted) {
        drop(slot);
        throw bounds.signal.reason;
      }
      const failure = failureOf(error, target, bounds.seconds);
      // If the error is a SqlError already, the server did not stop the statement in time.
      if (failure === error || !(failure instanceof SqlError)) drop(slot);
      throw failure;
    }
  }

  /** Begins a transaction. If an idle connection turns out to be closed, retries once with a new one. */
  async function ready(slot: Slot, bounds: Bounds): Promise<void> {
    if (closed) throw new SkeinError('SHUTTING_DOWN');
    const warm = slot.session !== undefined;
    try {
      slot.session ??= driver.open(target);
      const begun = slot.session.begin(bounds.seconds * 1000);
      await within(begun, { ms: CONNECT_MS, late: unreachable(), signal: bounds.signal });
    } catch (error) {
      drop(slot);
      if (bounds.signal?.aborted) throw error;
      if (!warm) throw failureOf(error, target, bounds.seconds);
      await ready(slot, bounds);
    }
  }

  return {
    use: (work, bounds) => pool.use((slot) => attempt(slot, work, bounds), bounds.signal),
    close() {
      closed = true;
      pool.close();
      for (const slot of slots) drop(slot);
    },
  };
}

function drop(slot: Slot): void {
  slot.session?.stop();
  slot.session = undefined;
}

async function transaction<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await work(session);
  } finally {
    await session.rollback();
  }
}

/** Errors after the timeout are ignored. */
async function within<T>(
  work: Promise<T>,
  { ms, late, signal }: { ms: number; late: Error; signal: AbortSignal | undefined },
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, ms, late);
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  work.catch(() => {});
  try {
    signal?.throwIfAborted();
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
