/** HTTPS with a certificate from the settings. */
import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTls } from '../../server/tls.ts';
import { CERTIFICATE, ITS_KEY, OTHER_KEY } from '../support/certificate.ts';
import { spawnCommand, spawnService } from '../support/process.ts';

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-tls-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function written(folder: string, cert: string, key: string) {
  const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await Promise.all([Bun.write(paths.cert, cert), Bun.write(paths.key, key)]);
  return paths;
}

const SETTINGS = 'web_configuration: {tls: {cert: cert.pem, key: key.pem}}';

test('the service serves HTTPS, and no plain HTTP', async () => {
  await withFolder(async (folder) => {
    await written(folder, CERTIFICATE, ITS_KEY);
    await Bun.write(join(folder, 'config.yml'), SETTINGS);
    const service = await spawnService(folder);
    try {
      expect(service.url).toStartWith('https://');
      const answer = await fetch(`${service.url}/livez`, { tls: { ca: CERTIFICATE } });
      expect([answer.status, await answer.text()]).toEqual([200, 'ok']);
      await expect(fetch(`${service.url}/livez`)).rejects.toThrow();
      await expect(fetch(`${service.url.replace('https', 'http')}/livez`)).rejects.toThrow();
    } finally {
      service.kill('SIGKILL');
      await service.exited;
    }
  });
}, 60_000);

test.each([
  ['stops the start', ['serve', '--port', '0', '--host', '127.0.0.1']],
  ['is found by validate', ['validate']],
])(
  'a missing key %s, with its field and not the port',
  async (_, words) => {
    await withFolder(async (folder) => {
      await Bun.write(join(folder, 'cert.pem'), CERTIFICATE);
      await Bun.write(join(folder, 'config.yml'), SETTINGS);
      const command = spawnCommand(words, folder);
      expect(await command.exited).toBe(2);
      await command.errors;
      expect(command.output()).toContain(
        "Validation error in field 'web_configuration.tls.key': the file cannot be read: ENOENT",
      );
      expect(command.output()).not.toMatch(/WEB_PORT|cert\.pem|key\.pem/);
      // The start failed before it opened anything.
      expect(existsSync(join(folder, '.tmp'))).toBe(false);
    });
  },
  30_000,
);

test.each([
  ['no certificate', 'garbage', ITS_KEY, "tls.cert': expected a certificate"],
  ['a key in its place', ITS_KEY, ITS_KEY, "tls.cert': expected a certificate"],
  ['no key', CERTIFICATE, 'garbage', "tls.key': expected a private key"],
  ['a certificate in its place', CERTIFICATE, CERTIFICATE, "tls.key': expected a private key"],
  [
    'the key of another certificate',
    CERTIFICATE,
    OTHER_KEY,
    "tls.key': the key does not match the certificate",
  ],
])('%s is rejected with the name of its field', async (_, cert, key, reason) => {
  await withFolder(async (folder) => {
    const paths = await written(folder, cert, key);
    expect(() => readTls(paths)).toThrow(reason);
  });
});

test.each([
  ['CRLF line breaks', (pem: string) => pem.replaceAll('\n', '\r\n')],
  ['a byte order mark', (pem: string) => `\uFEFF${pem}`],
  ['text before the certificate', (pem: string) => `Certificate: of localhost\n${pem}`],
])('a file with %s is accepted', async (_, changed) => {
  await withFolder(async (folder) => {
    const paths = await written(folder, changed(CERTIFICATE), changed(ITS_KEY));
    expect(readTls(paths).cert).toContain('BEGIN CERTIFICATE');
  });
});
