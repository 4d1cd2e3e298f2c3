/** `skein serve`: opens the service, listens, and drains on SIGTERM and SIGINT. */
import { checkWeb } from '../../../server/check-web.ts';
import { type HttpServer, serve } from '../../../server/serve.ts';
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import { configurationError } from '../../../state/errors.ts';
import { openService, type Service, VERSION } from '../../service/open-service.ts';
import { notifySystemd } from '../../service/process/notify.ts';
import { onStopSignal } from '../../service/process/stop-signals.ts';
import { surviveStrayErrors } from '../../service/process/stray-errors.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { reloader, terminalIsGone } from './reload.ts';

const DRAIN_SECONDS = '25';
// The exit code that a shell reports for a process ended by SIGHUP.
const HANGUP = 129;
const MAX_DRAIN_SECONDS = 3_600;
const FLAGS = [{ name: '--drain-seconds', takes: DRAIN_SECONDS }];

/** Resolves once the service listens. Throws CONFIGURATION_ERROR. */
export async function serveCommand(argv: string[]): Promise<undefined> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  const drainSeconds = secondsOf(own.get('--drain-seconds') ?? DRAIN_SECONDS);
  const flags = parseFlags([...rest, ...words]);
  // Closing the terminal sends SIGHUP too.
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY;
  const inputs = { cwd: process.cwd(), env: { ...process.env }, flags };
  const loaded = loadSettings(inputs);
  const web = loaded.settings.web_configuration;
  checkWeb(web);
  let opened: Service | undefined;
  surviveStrayErrors(() => opened?.log);
  const service = await openService(loaded);
  opened = service;
  const server = await listening(service, () => serve(service.app, web));
  const scheme = web.tls ? 'https' : 'http';
  const started = service.start(`${scheme}://localhost:${server.port}${web.base_path}`);
  stopOnSignals(service, { started, lameDuckSeconds: web.lame_duck_seconds, drainSeconds, server });
  const load = () => loadSettings(inputs).settings;
  const reload = reloader({ log: service.log, server, settings: loaded.settings, load });
  process.on('SIGHUP', () => {
    // Without its log's destination it cannot drain; unfinished turns resume at the next start.
    if (onTerminal && terminalIsGone()) process.exit(HANGUP);
    else void reload();
  });
  const recovered = await started.catch(async (error) => {
    await server.stop(true);
    await service.close(0);
    throw error;
  });
  const name = loaded.settings.models.find(({ role }) => role === 'chat')?.model;
  console.log(`skein ${VERSION}`);
  console.log(
    service.offline
      ? 'model      skein-offline, built in: rules, not a language model. Set LLM_PROVIDER_API_KEY or LLM_PROVIDER_BASE_URL to use one.'
      : `model      ${name}`,
  );
  if (service.role !== 'all') console.log(`role       ${ROLES[service.role]}`);
  if (recovered > 0) console.log(`recovered  ${recovered} unfinished ${recovered === 1 ? 'run' : 'runs'}`);
  if (service.retention !== undefined) console.log(`retention  ${service.retention}`);
  for (const warning of service.warnings) console.log(`warning    ${warning}`);
  void service.checkProviders();
  console.log(
    `listening on ${scheme}://${web.host === '0.0.0.0' ? 'localhost' : web.host}:${server.port}${web.base_path}`,
  );
  notifySystemd('READY=1');
}

const ROLES = {
  front: 'front: accepts requests and streams answers; workers execute the runs',
  worker: 'worker: executes runs; serves only health and metrics',
};

function secondsOf(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= MAX_DRAIN_SECONDS) return seconds;
  throw configurationError('--drain-seconds', `expected an integer from 0 to ${MAX_DRAIN_SECONDS}`);
}

async function listening<T>(service: Service, listen: () => T): Promise<T> {
  try {
    return listen();
  } catch (error) {
    await service.close(0);
    throw error;
  }
}

interface Stop {
  /** Resolves when the runs of an earlier process have resumed; stopping sooner would cut them off instead of pausing them. */
  started: Promise<unknown>;
  lameDuckSeconds: number;
  drainSeconds: number;
  server: HttpServer;
}

/** The first signal drains, a second one exits immediately. */
function stopOnSignals(service: Service, { started, lameDuckSeconds, drainSeconds, server }: Stop): void {
  onStopSignal({
    async stop() {
      service.leave();
      server.drain();
      notifySystemd('STOPPING=1');
      service.log.info({ lame_duck_seconds: lameDuckSeconds }, 'stopping');
      // A failed start ends the process itself.
      if (!(await started.then(() => true).catch(() => false))) return;
      // Don't wait with 0 seconds, because requests would be accepted after `/readyz` has failed.
      if (lameDuckSeconds > 0) await Bun.sleep(lameDuckSeconds * 1_000);
      service.log.info('draining');
      await service.close(drainSeconds);
      // Let answers in flight finish; new requests are already rejected.
      await Promise.race([server.stop(), Bun.sleep(2_000)]);
      process.exit(0);
    },
    exit: () => process.exit(1),
  });
}
