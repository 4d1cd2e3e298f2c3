/** Progress of an ingestion, on a redrawn line of the terminal; prints nothing without a terminal. */
import type { Progress } from '../../tools/knowledge/local/folder/worker.ts';

interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const WIDTH = 24;
const CLEAR_LINE = '\r\u001b[K';

export function progressBar(screen: Screen) {
  let isShown = false;
  return {
    show(progress: Progress): void {
      if (!screen.isTTY) return;
      isShown = true;
      screen.write(`${CLEAR_LINE}${lineOf(progress).slice(0, (screen.columns ?? 80) - 1)}`);
    },
    clear(): void {
      if (isShown) screen.write(CLEAR_LINE);
      isShown = false;
    },
  };
}

export function lineOf({ documents, remaining, passages }: Progress): string {
  const all = documents + remaining;
  const filled = all === 0 ? WIDTH : Math.floor((WIDTH * documents) / all);
  return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${documents} of ${all} documents, ${passages} passages`;
}
