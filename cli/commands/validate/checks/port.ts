/** Whether the service could listen where it is told to. */
import type { LoadedSettings } from '../../../../settings/load.ts';
import { type Check, failure, ok, warning } from '../../../service/check.ts';
import { addressOf, answers } from '../../../service/connect.ts';

type Web = LoadedSettings['settings']['web_configuration'];

/** `isServed` where a service of this kind has the port already. The port is bound for a moment, and given back. */
export async function portCheck(web: Web): Promise<{ check: Check; isServed: boolean }> {
  const { host, port } = web;
  const name = `port ${port}`;
  try {
    Bun.listen({ hostname: host, port, exclusive: true, socket: { data() {} } }).stop(true);
    return { check: ok(name, port === 0 ? 'any that is free' : `free on ${host}`), isServed: false };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') return { check: refused(name, host, code), isServed: false };
  }
  if (await answers(addressOf(web)))
    return { check: warning(name, 'a service of this kind is running there'), isServed: true };
  const todo = 'stop what listens there, or choose another: --port, WEB_PORT or web_configuration.port';
  return { check: failure(name, `another program has it on ${host}`, todo), isServed: false };
}

function refused(name: string, host: string, code: string): Check {
  if (code === 'EACCES')
    return failure(
      name,
      'this user may not use it',
      'choose one above 1023: WEB_PORT or web_configuration.port',
    );
  return failure(
    name,
    `nothing can listen on ${host} (${code || 'unknown reason'})`,
    'look at web_configuration.host',
  );
}
