/** `skein dev`: serves, and restarts when a file of the project changes. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { findFiles } from '../../../settings/files/files.ts';
import { parseFlags } from '../../../settings/flags.ts';
import { onStopSignal } from '../../service/process/stop-signals.ts';
import { styleFor } from '../../terminal/style.ts';
import { langgraphStudio } from './langgraph-studio.ts';
import { projectPostgres } from './project-postgres.ts';

// An editor writes a file in several steps.
const SETTLE_MS = 150;
// Restart soon after a change. Longer turns resume after the restart.
// The log format is for people; flags on the command line override it.
const DEFAULTS = ['--drain-seconds', '2', '--log-format', 'pretty'];
// Kill a process that does not end by itself; before that, it tells clients that it stops.
const PATIENCE_MS = 10_000;

/** Prints the address of LangGraph Studio for this service, and allows its page to call. */
const STUDIO = '--studio';
/** Runs the service on the project's own PostgreSQL. */
const POSTGRES = '--postgres';

const MAIN = join(import.meta.dir, '../../main.ts');

/** Runs until a signal ends it; returns the exit code. */
export async function devCommand(given: string[]): Promise<number> {
  const argv = given.filter((flag) => flag !== STUDIO && flag !== POSTGRES);
  const load = { cwd: process.cwd(), env: process.env, flags: parseFlags(argv) };
  const { projectFolder } = findFiles(load);
  const page = given.includes(STUDIO) ? langgraphStudio(load) : undefined;
  const postgres = given.includes(POSTGRES) ? await projectPostgres(projectFolder) : undefined;
  const { dim, bad } = styleFor(process.stdout, process.env);
  const ended = Promise.withResolvers<number>();
  let child: Bun.Subprocess | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let restarting: Promise<void> | undefined;
  let stopping = false;

  function start(): void {
    const own = Bun.spawn([process.execPath, '--no-env-file', MAIN, 'serve', ...DEFAULTS, ...argv], {
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
      env: {
        BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
        ...process.env,
        ...page?.env,
        ...postgres?.env,
        // Without a delay: no load balancer has to notice the restart.
        SERVICE_WEB_CONFIGURATION__LAME_DUCK_SECONDS: '0',
      },
    });
    child = own;
    void own.exited.then((code) => {
      if (child === own && !restarting && !stopping)
        console.log(bad(`the service exited with code ${code}; waiting for a change`));
    });
  }

  async function restart(): Promise<void> {
    const own = child;
    if (own && own.exitCode === null) {
      own.kill('SIGTERM');
      const killer = setTimeout(() => own.kill('SIGKILL'), PATIENCE_MS);
      await own.exited;
      clearTimeout(killer);
    }
    if (!stopping) start();
  }

  function changed(path: string): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.log(dim(`${path} changed`));
      restarting = (restarting ?? Promise.resolve()).then(restart).finally(() => {
        restarting = undefined;
      });
    }, SETTLE_MS);
  }

  const close = watchProject(projectFolder, changed);

  onStopSignal({
    async stop() {
      stopping = true;
      clearTimeout(timer);
      close();
      // The terminal may have signalled the service as well; it ignores a repeat.
      child?.kill('SIGTERM');
      await child?.exited;
      await postgres?.stop();
      ended.resolve(0);
    },
    exit() {
      child?.kill('SIGKILL');
      postgres?.kill();
      process.exit(1);
    },
  });
  if (page) console.log(`LangGraph Studio: ${page.address}`);
  if (postgres) console.log(`PostgreSQL: ${postgres.label}, data in .tmp/postgres`);
  start();
  return ended.promise;
}

const FILES = new Set(['config.yml', 'profiles.yml', '.env']);
const GRAPHS = 'graphs';

/** The settings' files, the workflows and their prompt files; a running service reads `.files` and documents itself. */
function watchProject(folder: string, changed: (path: string) => void): () => void {
  let graphs = watchGraphs();
  // Not recursively: node_modules has too many files.
  const files = watch(folder, (_event, name) => {
    if (name === GRAPHS) {
      graphs?.close();
      graphs = watchGraphs();
    }
    if (name === GRAPHS || FILES.has(name ?? '')) changed(name ?? folder);
  });

  function watchGraphs(): FSWatcher | undefined {
    const path = join(folder, GRAPHS);
    if (!existsSync(path)) return undefined;
    return watch(path, { recursive: true }, (_event, name) => changed(join(GRAPHS, name ?? '')));
  }

  return () => {
    graphs?.close();
    files.close();
  };
}
