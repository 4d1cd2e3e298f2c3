/** Many logins with unknown usernames from another process don't delay the service's other requests. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { spawnProcess } from '../../support/process.ts';
import { basic, PASSWORD, SECRET } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';

setDefaultTimeout(60_000);

// No other users, whose cheap hashes would determine the cost.
const service = runningService(
  runningProvider(),
  `web_configuration:
  authentication: {enable: true, enable_global_middleware: true, failed_logins_per_minute: 1000, username: ann,
    password: "${PASSWORD}", jwt_secret_key: "${SECRET}"}
`,
);

/** Sends all requests concurrently. Prints a line when it starts, then each status with its code and Retry-After. */
const CALLERS = `
  const [url, ...names] = process.argv.slice(1);
  console.log('begins');
  await Promise.all(names.map(async (authorization) => {
    const response = await fetch(url, { headers: { authorization } });
    const { error_code } = await response.json();
    console.log([response.status, error_code, response.headers.get('retry-after')].join(' '));
  }));`;

test('60 connections with unknown usernames do not delay health checks, and those that cannot wait are rejected', async () => {
  const names = Array.from({ length: 60 }, (_, n) => basic(`made-up ${n}`, 'x').authorization);
  const url = `${service.url}/api/v1/threads`;
  const callers = spawnProcess([process.execPath, '-e', CALLERS, url, ...names], service.folder, {});
  const answers = () => callers.output().split('\n').slice(1, -1);
  const output = Array.fromAsync(callers.lines);
  // The rejections are immediate. They show that the other requests are waiting for their passwords.
  while (answers().length === 0) await Bun.sleep(5);
  const compared = () => answers().filter((line) => line.startsWith('401')).length;
  const before = compared();
  // If the passwords took all threads that read files, each health check would wait for one or two passwords.
  for (let n = 0; n < 20; n++) expect((await service.fetch('/api/v1/health')).status).toBe(200);
  expect(compared() - before).toBeLessThan(10);
  await output;
  expect(answers()).toHaveLength(60);
  const refused = answers().filter((line) => !line.startsWith('401 UNAUTHORIZED'));
  expect(refused.length).toBeWithin(1, 29);
  expect(new Set(refused)).toEqual(new Set(['503 OVERLOADED 1']));
});
