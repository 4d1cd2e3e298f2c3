/** `skein serve` fails immediately if PostgreSQL rejects it, and after a while if PostgreSQL is unreachable. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE, ITS_KEY } from '../support/certificate.ts';
import { OWN_POSTGRES, type PrivatePostgres, privatePostgres } from '../support/private-postgres.ts';
import { listening, spawnCommand } from '../support/process.ts';
import { runCommand } from '../support/run-command.ts';
import { WITHOUT_SAMPLES } from '../support/service.ts';

setDefaultTimeout(60_000);

// Processes start slowly on a busy machine.
const AT_ONCE_MS = 10_000;

describe.skipIf(!OWN_POSTGRES)('a start on PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-pg-start-'));
  let server: PrivatePostgres;
  beforeAll(async () => {
    server = await privatePostgres();
    server.write('server.crt', CERTIFICATE);
    server.write('server.key', ITS_KEY);
    server.write('pg_hba.conf', HBA);
    await server.start();
    await server.run("CREATE ROLE secured LOGIN PASSWORD 'right'");
    await server.run('CREATE ROLE guest LOGIN');
  });
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  const env = (url: string) => ({
    ...WITHOUT_SAMPLES,
    SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
    DATABASE_URL: url,
  });
  const at = (user: string, database = 'postgres', query = '') =>
    `postgres://${user}@127.0.0.1:${server.port}/${database}${query}`;

  async function refusal(url: string) {
    const began = performance.now();
    const { errors, code } = await runCommand(['serve', '--port', '0'], folder, env(url));
    return { code, errors: errors.trim(), milliseconds: performance.now() - began };
  }

  const refusals: [string, () => string, RegExp][] = [
    ['a wrong password', () => at('secured:wr0ng'), /rejected the user or the password/],
    ['a user that is not there', () => at('nobody:wr0ng'), /rejected the user/],
    ['a database that is not there', () => at('admin', 'nowhere'), /database does not exist: .*"nowhere"/],
    ['a user without the right to create', () => at('guest'), /may not create the schema/],
    ['a connection that must have TLS', () => at('sealed:wr0ng'), /rejected the user: .*no encryption/],
    ['TLS that the server lacks', () => at('admin', 'postgres', '?sslmode=require'), /does not support TLS/],
  ];
  for (const [name, url, sentence] of refusals)
    test(`${name} ends the start immediately, with a one-line error`, async () => {
      const { code, errors, milliseconds } = await refusal(url());
      expect(errors).toMatch(sentence);
      expect(errors).toContain('chat_history.connection_string');
      expect(errors.split('\n')).toHaveLength(1);
      expect(errors).not.toContain('wr0ng');
      expect(code).toBe(2);
      expect(milliseconds).toBeLessThan(AT_ONCE_MS);
    });

  test('an untrusted certificate ends the start immediately if the URL requires a trusted one', async () => {
    await server.run('ALTER SYSTEM SET ssl = on');
    await server.run('SELECT pg_reload_conf()');
    const { code, errors, milliseconds } = await refusal(at('admin', 'postgres', '?sslmode=verify-full'));
    expect(errors).toMatch(/the TLS connection failed: /);
    expect(errors.split('\n')).toHaveLength(1);
    expect(code).toBe(2);
    expect(milliseconds).toBeLessThan(AT_ONCE_MS);
  });

  test('the start waits 15 s for an unreachable database', async () => {
    await server.kill();
    const child = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, env(server.url));
    await Bun.sleep(3_000);
    expect(child.output()).not.toContain('listening');
    await server.start();
    const service = await listening(child);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });

  test('a database that does not respond is tried for 15 s', async () => {
    server.pause();
    try {
      const { code, errors, milliseconds } = await refusal(at('secured:wr0ng'));
      expect(errors).toMatch(/is unreachable: .*\(tried for 15 s\)$/);
      expect(errors.split('\n')).toHaveLength(1);
      expect(errors).not.toContain('wr0ng');
      expect(code).toBe(2);
      expect(milliseconds).toBeGreaterThan(14_500);
      expect(milliseconds).toBeLessThan(15_000 + AT_ONCE_MS);
    } finally {
      server.resume();
    }
  });
});

const HBA = `hostssl all sealed 127.0.0.1/32 trust
host all sealed 127.0.0.1/32 reject
host all secured 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
local all all trust
`;
