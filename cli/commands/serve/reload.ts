/** SIGHUP: reloads the settings and applies the certificate and the log level; running turns continue. */
import { closeSync, openSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { WebOptions } from '../../../server/options.ts';
import type { HttpServer } from '../../../server/serve.ts';
import { readTls } from '../../../server/tls.ts';
import type { LoadedSettings } from '../../../settings/load.ts';

type Settings = LoadedSettings['settings'];
type Certificate = NonNullable<WebOptions['tls']>;

export interface Reloading {
  log: Logger;
  server: HttpServer;
  /** The settings that the service started with. */
  settings: Settings;
  /** Throws CONFIGURATION_ERROR. */
  load(): Settings;
}

/** Returns the handler of SIGHUP. It never throws: an invalid setting is logged, and the old one stays. */
export function reloader({ log, server, settings, load }: Reloading): () => Promise<void> {
  const { tls } = settings.web_configuration;
  let served = tls && readTls(tls);

  async function reload(): Promise<void> {
    const fresh = load();
    const { log_level: level } = fresh.telemetry;
    if (log.level !== level) log.level = level;
    const waiting = restartOnly(settings, fresh);
    if (waiting.length > 0) log.warn({ blocks: waiting }, 'changed settings need a restart');
    const certificate = fresh.web_configuration.tls && readTls(fresh.web_configuration.tls);
    if (served && certificate && !isDeepStrictEqual(served, certificate)) {
      await renew(certificate);
      log.info('the certificate was reloaded');
    }
    log.info({ log_level: level }, 'settings reloaded');
  }

  async function renew(certificate: Certificate): Promise<void> {
    await server.renew(certificate);
    served = certificate;
  }

  // One at a time, because concurrent reloads would start two successors of one listener.
  let last = Promise.resolve();
  return () => {
    last = last
      .then(reload)
      .catch((err) => log.error({ err }, 'the settings cannot be reloaded; the old ones stay in use'));
    return last;
  };
}

/** The changed blocks that a running service cannot apply. */
function restartOnly(old: Settings, fresh: Settings): string[] {
  const [before, after] = [comparable(old), comparable(fresh)];
  const blocks = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return blocks.filter((block) => !isDeepStrictEqual(before[block], after[block]));
}

function comparable({ telemetry, web_configuration: web, ...rest }: Settings): Record<string, unknown> {
  return {
    ...rest,
    telemetry: { ...telemetry, log_level: undefined },
    // The certificate's path may change; TLS cannot be turned on or off.
    web_configuration: { ...web, tls: web.tls !== undefined },
  };
}

/** Whether the terminal that started it was closed, which sends SIGHUP as well. */
export function terminalIsGone(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}
