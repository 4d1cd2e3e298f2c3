/** Starts the service as users do: `skein serve` in a separate process, which can be killed. */
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from './bare-environment.ts';
import { WITHOUT_SAMPLES } from './service.ts';
import { stateEnv } from './test-state.ts';

export interface ServiceProcess {
  pid: number;
  url: string;
  /** Its output so far. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** Sends a signal to its process group, as a terminal does. Only for a `detached` process. */
  killGroup(signal: NodeJS.Signals): void;
  /** The exit code; null after a signal. */
  exited: Promise<number | null>;
  /** Resolves when its complete standard error is in `output`. */
  errors: Promise<unknown>;
}

const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');

/**
 * Waits until it prints its address. `folder` contains the state and is the project's folder. A preloaded file runs before the
 * service.
 */
export async function spawnService(
  folder: string,
  env: Record<string, string> = {},
  { port = '0', preload }: { port?: string; preload?: string | undefined } = {},
): Promise<ServiceProcess> {
  const child = spawnCommand(
    ['serve', '--port', port, '--host', '127.0.0.1', '--log-level', 'error'],
    folder,
    { ...WITHOUT_SAMPLES, ...(await stateEnv(folder)), ...env },
    preload,
  );
  return listening(child);
}

/** Waits until it prints its address. */
export async function listening(child: ReturnType<typeof spawnProcess>): Promise<ServiceProcess> {
  for await (const _ of child.lines) {
    const url = /listening on (\S+)/.exec(child.output())?.[1];
    if (url) return { ...child, url };
  }
  throw new Error(`the service ended before it listened:\n${child.output()}`);
}

/** Runs a `skein` command with the bare environment and the given variables. */
export function spawnCommand(
  args: string[],
  folder: string,
  env: Record<string, string> = {},
  preload?: string,
) {
  const before = preload === undefined ? [] : ['--preload', preload];
  return spawnProcess([process.execPath, '--no-env-file', ...before, MAIN, ...args], folder, {
    HOME: folder,
    ...env,
  });
}

/** Runs a program; `detached` starts it in a new process group. */
export function spawnProcess(
  command: string[],
  folder: string,
  env: Record<string, string>,
  { detached = false } = {},
) {
  const child = Bun.spawn(command, {
    cwd: folder,
    detached,
    env: { ...BARE_ENVIRONMENT, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let text = '';
  async function* read(stream: ReadableStream<Uint8Array>) {
    for await (const piece of stream) {
      text += new TextDecoder().decode(piece);
      yield text;
    }
  }
  const errors = Array.fromAsync(read(child.stderr));
  return {
    pid: child.pid,
    lines: read(child.stdout),
    errors,
    output: () => text,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    killGroup(signal: NodeJS.Signals) {
      try {
        process.kill(-child.pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
    exited: child.exited.then(() => child.exitCode),
  };
}
