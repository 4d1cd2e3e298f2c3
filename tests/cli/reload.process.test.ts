/** SIGHUP reloads the certificate and the log level, and ends no running work. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { loopingClients } from '../server/support/looping-clients.ts';
import { until } from '../server/support/until.ts';
import { CERTIFICATE, ITS_KEY, OTHER_CERTIFICATE, OTHER_KEY } from '../support/certificate.ts';
import { listening, type ServiceProcess, spawnCommand } from '../support/process.ts';
import { classifying, scriptedProvider } from '../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../support/service.ts';
import { terminal } from '../support/terminal.ts';
import { stateEnv } from '../support/test-state.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

const root = mkdtempSync(join(tmpdir(), 'skein-reload-'));
afterAll(() => rmSync(root, { recursive: true }));

const provider = scriptedProvider();
afterAll(() => provider.close());

let folder = '';
let service: ServiceProcess | undefined;
afterEach(async () => {
  service?.kill('SIGKILL');
  await service?.exited;
});

const write = (name: string, text: string) => Bun.write(join(folder, name), text);
const certified = (cert: string, key: string) =>
  Promise.all([write('cert.pem', cert), write('key.pem', key)]);
const TLS = 'web_configuration: {tls: {cert: cert.pem, key: key.pem}}\n';
const level = (name: string) => `telemetry: {log_level: ${name}}\n`;

async function started(config: string): Promise<ServiceProcess> {
  folder = mkdtempSync(join(root, 'service-'));
  await write('config.yml', config);
  await certified(CERTIFICATE, ITS_KEY);
  const env = { ...WITHOUT_SAMPLES, ...(await stateEnv(folder)), ...providerEnv(provider.url) };
  service = await listening(spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, env));
  return service;
}

/** Returns the subject of the certificate that new connections get. */
function organization(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false });
  socket.once('error', reject);
  socket.once('secureConnect', () => {
    resolve(String(socket.getPeerCertificate().subject.O ?? 'first'));
    socket.destroy();
  });
  return promise;
}

const times = (text: string, part: string) => text.split(part).length - 1;

test('new connections get a renewed certificate, without an effect on turns and clients', async () => {
  const { url, kill, output } = await started(TLS + level('info'));
  const held = Promise.withResolvers<string>();
  const reached = Promise.withResolvers<void>();
  provider.script = classifying(() => {
    reached.resolve();
    return held.promise;
  });
  const turn = fetch(`${url}/api/v1/chat`, {
    tls: { rejectUnauthorized: false },
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      user_prompt: 'It broke.',
      conversation_flow: 'classification-agent',
      stream: true,
    }),
  });
  await reached.promise;
  const clients = loopingClients(`${url}/livez`, 16);
  const others = loopingClients(`${url}/livez`, 16, { keepalive: false });
  expect(await organization(url)).toBe('first');
  for (let count = 1; count <= 6; count++) {
    const isOther = count % 2 === 1;
    await (isOther ? certified(OTHER_CERTIFICATE, OTHER_KEY) : certified(CERTIFICATE, ITS_KEY));
    kill('SIGHUP');
    await until(() => times(output(), 'the certificate was reloaded') === count, 10_000);
    expect(await organization(url)).toBe(isOther ? 'other' : 'first');
  }
  held.resolve('It is over.');
  const stream = await (await turn).text();
  expect(stream).toContain('It is over.');
  expect(stream).toContain('event: end');
  kill('SIGTERM');
  await Promise.all([clients.over, others.over]);
  expect(await service?.exited).toBe(0);
  expect(Object.keys({ ...clients.ends, ...others.ends }).toSorted()).toEqual(['200', 'refused']);
});

test('a bad certificate or settings file is logged, and the old one stays', async () => {
  const { url, kill, output } = await started(TLS + level('warn'));
  const refused = () => times(output(), 'the settings cannot be reloaded; the old ones stay');
  await write('key.pem', OTHER_KEY);
  kill('SIGHUP');
  await until(() => refused() === 1, 10_000);
  expect(output()).toContain("Validation error in field 'web_configuration.tls.key'");
  expect(await organization(url)).toBe('first');
  await certified(OTHER_CERTIFICATE, OTHER_KEY);
  await write('config.yml', `${TLS}telemetry: {log_level: loud}`);
  kill('SIGHUP');
  await until(() => refused() === 2, 10_000);
  expect(output()).toContain("Validation error in field 'telemetry.log_level'");
  expect(await organization(url)).toBe('first');
  await write('config.yml', TLS + level('info'));
  kill('SIGHUP');
  await until(() => output().includes('the certificate was reloaded'), 10_000);
  expect(await organization(url)).toBe('other');
});

test('the log level follows the settings, and other changes are reported to require a restart', async () => {
  const { kill, output, url } = await started(level('error'));
  await write('config.yml', `${level('info')}memory: {window_messages: 3}`);
  kill('SIGHUP');
  await until(() => output().includes('settings reloaded'), 10_000);
  expect(output()).toMatch(/"blocks":\["memory"\].*"changed settings need a restart"/);
  await write('config.yml', level('error'));
  kill('SIGHUP');
  // Its last line would be one of the level info.
  kill('SIGTERM');
  expect((await fetch(`${url}/livez`).catch(() => undefined))?.status ?? 200).toBe(200);
  expect(await service?.exited).toBe(0);
  expect(times(output(), 'settings reloaded')).toBe(1);
});

test('closing the terminal ends the service', async () => {
  folder = mkdtempSync(join(root, 'service-'));
  const command = terminal(['serve', '--port', '0', '--host', '127.0.0.1'], folder, WITHOUT_SAMPLES);
  try {
    await command.sees('listening on', 60_000);
    command.hangUp();
    expect(await command.exited).toBe(129);
  } finally {
    command.close();
  }
});
