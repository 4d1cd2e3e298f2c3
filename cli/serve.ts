/** `skein serve`: opens the service, listens, and drains on SIGTERM and SIGINT. */
import { checkWeb } from '../server/check-web.ts';
import { serve } from '../server/serve.ts';
import { parseFlags } from '../settings/flags.ts';
import { loadSettings } from '../settings/load.ts';
import { openService, type Service, VERSION } from './open-service.ts';

const DRAIN_SECONDS = 25;

/** Resolves once the service listens. Throws CONFIGURATION_ERROR. */
export async function serveCommand(argv: string[]): Promise<undefined> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(argv) });
  const web = loaded.settings.web_configuration;
  checkWeb(web);
  const service = await openService(loaded);
  const server = await listening(service, () => serve(service.app, web));
  const scheme = web.tls ? 'https' : 'http';
  const recovered = await service.start(`${scheme}://localhost:${server.port}`).catch(async (error) => {
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
  if (recovered > 0) console.log(`recovered  ${recovered} unfinished ${recovered === 1 ? 'run' : 'runs'}`);
  for (const warning of service.warnings) console.log(`warning    ${warning}`);
  console.log(`listening on ${scheme}://${web.host === '0.0.0.0' ? 'localhost' : web.host}:${server.port}`);
  stopOnSignals(service, () => server.stop());
}

async function listening<T>(service: Service, listen: () => T): Promise<T> {
  try {
    return listen();
  } catch (error) {
    await service.close(0);
    throw error;
  }
}

/** The first signal drains, a second one exits at once. */
function stopOnSignals(service: Service, stopListening: () => Promise<void>): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    service.log.info('draining');
    await service.close(DRAIN_SECONDS);
    // Answers that are on their way are let out; new requests found the service draining.
    await Promise.race([stopListening(), Bun.sleep(2_000)]);
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
