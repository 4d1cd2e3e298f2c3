/** Tells those who do some kind of work that there is more: in this process at once, on other servers by a hint. */
import type { Database } from './database/database.ts';

export interface Announcements {
  announce(): void;
  /** `listen` hears of this process's and of other servers' announcements; the returned function ends that. */
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

  function tell(): void {
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
      tell();
      hint();
    },
    watch(listen) {
      listeners.add(listen);
      if (!isListening) {
        isListening = true;
        // Watchers also poll, so a lost hint costs only time.
        database.listen(CHANNEL, (told) => told === kind && tell()).catch(() => {});
      }
      return () => void listeners.delete(listen);
    },
  };
}
