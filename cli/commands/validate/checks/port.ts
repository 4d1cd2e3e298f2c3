/** Whether the service could listen on its port. */
import type { LoadedSettings } from '../../../../settings/load.ts';
import { type Check, failure, ok, warning } from '../../../service/checks/check.ts';
import { addressOf, answers } from '../../../service/connect.ts';

type Web = LoadedSettings['settings']['web_configuration'];

/** `isServed`: a Skein service already uses the port. Binds the port briefly and releases it. */
export async function portCheck(web: Web): Promise<{ check: Check; isServed: boolean }> {
  const { host, port } = web;
  const name = `port ${port}`;
  try {
    Bun.listen({ hostname: host, port, exclusive: true, socket: { data() {} } }).stop(true);
    return { check: ok(name, port === 0 ? 'any free port' : `free on ${host}`), isServed: false };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') return { check: refused(name, host, code), isServed: false };
  }
  if (await answers(addressOf(web)))
    return { check: warning(name, 'a Skein service is running there'), isServed: true };
  const todo =
    'stop the program that listens there, or choose another port: --port, WEB_PORT or web_configuration.port';
  return { check: failure(name, `in use by another program on ${host}`, todo), isServed: false };
}

function refused(name: string, host: string, code: string): Check {
  if (code === 'EACCES')
    return failure(
      name,
      'no permission to use it',
      'choose a port above 1023: WEB_PORT or web_configuration.port',
    );
  return failure(
    name,
    `nothing can listen on ${host} (${code || 'unknown reason'})`,
    'check web_configuration.host',
  );
}
