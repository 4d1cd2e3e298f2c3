/** Starts child processes, each of which prints `listening on <url>` when it is ready. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Running {
  url: string;
  pid: number;
  /** Milliseconds from the start of the process to that line. */
  readyAfter: number;
  /** The exit code; null after a signal. */
  exited: Promise<number | null>;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dir, '..');

export async function start(
  command: string[],
  env: Record<string, string> = {},
  program = process.execPath,
): Promise<Running> {
  const began = performance.now();
  const child = Bun.spawn([program, ...command], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  // A failed measurement must not leave processes behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of child.stdout) {
    text += decoder.decode(piece);
    const url = /listening on (\S+)/.exec(text)?.[1];
    if (url) {
      const stop = async () => {
        process.off('exit', kill);
        kill();
        await child.exited;
      };
      const exited = child.exited.then(() => child.exitCode);
      return { url, pid: child.pid, readyAfter: performance.now() - began, exited, stop };
    }
  }
  throw new Error(`${command.join(' ')} exited before it was ready:\n${text}`);
}

export const startProvider = (delay = 0, pause = 0) =>
  start(['bench/provider.ts', String(delay), String(pause)]);

/** The settings of a service on this database. */
export const onPostgres = (url: string) => ({
  SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
  DATABASE_URL: url,
});

/** `database`: use LangGraph's PostgresSaver with this URL instead of MemorySaver. */
export const startBare = (mode: 'same' | 'plain', provider: Running, database?: string) =>
  start(['bench/bare.ts', mode, `${provider.url}/v1`, ...(database === undefined ? [] : [database])]);

/** Starts `skein serve` as users do, with its state in a new folder. */
export async function startSkein(
  provider: Pick<Running, 'url'> | undefined,
  env: Record<string, string> = {},
  { config = 'bench/config.yml', preload }: { config?: string; preload?: string } = {},
): Promise<Running & { state: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  const state = join(folder, 'state.db');
  const flags = ['--config', config, '--port', '0', '--host', '127.0.0.1'];
  const before = preload === undefined ? [] : ['--preload', preload];
  const running = await start([...before, 'cli/main.ts', 'serve', ...flags], {
    SERVICE_CHAT_HISTORY__DATABASE_PATH: state,
    SERVICE_LOCAL_SQL_DB__DATABASE_PATH: join(folder, 'sample.duckdb'),
    SERVICE_KNOWLEDGE_BASE__INDEX_PATH: join(folder, 'knowledge'),
    ...env,
    ...(provider ? { LLM_PROVIDER_BASE_URL: `${provider.url}/v1`, LLM_PROVIDER_MODEL: 'm' } : {}),
  });
  const stop = async () => {
    await running.stop();
    rmSync(folder, { recursive: true });
  };
  return { ...running, state, stop };
}
