/** Announces new work of one kind: to listeners in this process directly, and to other servers by a notification. */
import type { Database } from './database/database.ts';

export interface Announcements {
  announce(): void;
  /** Calls `listen` after announcements of this process and of other servers; the returned function unsubscribes. */
  watch(listen: () => void): () => void;
}

const CHANNEL = 'skein_work';
const HINT_EVERY_MS = 100;

export function announcements(
  database: Pick<Database, 'listen' | 'notify'>,
  kind: 'cron' | 'webhook' | 'prompt',
): Announcements {
  const listeners = new Set<() => void>();
  let isListening = false;
  let pause: ReturnType<typeof setTimeout> | undefined;
  let again = false;

  function callListeners(): void {
    for (const listen of listeners) listen();
  }

  function hint(): void {
    again = pause !== undefined;
    if (again) return;
    database.notify(CHANNEL, kind);
    pause = setTimeout(() => {
      pause = undefined;
      if (again) hint();
    }, HINT_EVERY_MS);
    pause.unref();
  }

  return {
    announce() {
      callListeners();
      hint();
    },
    watch(listen) {
      listeners.add(listen);
      if (!isListening) {
        isListening = true;
        // Watchers also poll, so a lost notification only causes a delay.
        database.listen(CHANNEL, (payload) => payload === kind && callListeners()).catch(() => {});
      }
      return () => void listeners.delete(listen);
    },
  };
}
