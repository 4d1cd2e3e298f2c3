/** Runs of other servers that this one follows. The subscription is repeated, because notifications expire or get lost. */
import type { Hints } from './hints.ts';

const AGAIN_MS = 10_000;

export function follows(hints: Hints) {
  const followed = new Map<string, number>();
  const timer = setInterval(() => {
    if (followed.size > 0) hints.send({ follows: [...followed.keys()] });
  }, AGAIN_MS);
  timer.unref();

  return {
    /** The returned function unsubscribes. */
    follow(runId: string): () => void {
      const count = followed.get(runId) ?? 0;
      followed.set(runId, count + 1);
      if (count === 0) hints.send({ follows: [runId] });
      return () => {
        const remaining = (followed.get(runId) ?? 1) - 1;
        if (remaining > 0) followed.set(runId, remaining);
        else followed.delete(runId);
      };
    },
    close: () => clearInterval(timer),
  };
}
