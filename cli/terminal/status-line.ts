/** What a command is doing, on a redrawn line of the terminal; prints nothing without a terminal. */
import { printable } from './plain-errors.ts';

interface Screen {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export interface StatusLine {
  show(text: string): void;
  clear(): void;
}

const CLEAR_LINE = '\r\u001b[K';

export function statusLine(screen: Screen): StatusLine {
  let isShown = false;
  return {
    show(text) {
      if (!screen.isTTY) return;
      isShown = true;
      screen.write(`${CLEAR_LINE}${printable(text).slice(0, (screen.columns ?? 80) - 1)}`);
    },
    clear() {
      if (isShown) screen.write(CLEAR_LINE);
      isShown = false;
    },
  };
}
