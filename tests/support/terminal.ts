/** Runs a `skein` command in a real terminal, with input and screen output. */
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { BARE_ENVIRONMENT } from './bare-environment.ts';

export interface Terminal {
  /** The screen output so far, without colours. */
  shown(): string;
  /** The raw output. */
  raw(): string;
  /** Waits for a text after the previous match. */
  sees(text: string, milliseconds?: number): Promise<void>;
  type(keys: string): void;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<number | null>;
  /** Closes the terminal, as closing its window does. */
  hangUp(): void;
  close(): void;
}

const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

export function terminal(args: string[], folder: string, env: Record<string, string> = {}): Terminal {
  const decoder = new TextDecoder();
  let raw = '';
  let found = 0;
  let changed = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN, ...args], {
    cwd: folder,
    env: { ...BARE_ENVIRONMENT, HOME: folder, TERM: 'xterm', ...env },
    terminal: {
      cols: 200,
      rows: 40,
      data(_terminal, bytes) {
        raw += decoder.decode(bytes, { stream: true });
        changed.resolve();
        changed = Promise.withResolvers();
      },
    },
  });
  const shown = () => stripVTControlCharacters(raw).replaceAll('\r', '');
  return {
    shown,
    raw: () => raw,
    async sees(text, milliseconds = 20_000) {
      const late = Bun.sleep(milliseconds).then(() => true);
      for (;;) {
        const at = shown().indexOf(text, found);
        if (at >= 0) {
          found = at + text.length;
          return;
        }
        if (await Promise.race([changed.promise, late]))
          throw new Error(`'${text}' is not on the screen:\n${shown()}`);
      }
    },
    type: (keys) => void child.terminal?.write(keys),
    kill: (signal) => child.kill(signal),
    exited: child.exited.then(() => child.exitCode),
    hangUp: () => child.terminal?.close(),
    close: () => child.kill('SIGKILL'),
  };
}
