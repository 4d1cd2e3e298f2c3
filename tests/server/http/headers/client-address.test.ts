/** The client's address behind proxies. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { clientAddresses } from '../../../../server/http/headers/client-address.ts';
import { testService } from '../../../support/service.ts';
import { login, protectedConfig } from '../../support/credentials.ts';

// Hashing passwords and starting processes are slow on a busy machine.
setDefaultTimeout(30_000);

const forwarded = (text: string) => new Headers({ 'x-forwarded-for': text });
const of = clientAddresses(['10.0.0.0/8', '192.168.1.1', 'fd00::/8']);

test.each([
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['10.1.2.3', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
  ['10.1.2.3', '6.6.6.6, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
  ['10.1.2.3', '198.51.100.1:4711, 192.168.1.1', '198.51.100.1'],
  ['fd00::1', '[2001:db8::1]:443', '2001:db8::1'],
  ['10.1.2.3', '10.4.4.4, 10.5.5.5', '10.4.4.4'],
  ['10.1.2.3', '', '10.1.2.3'],
  ['10.1.2.3', 'unknown', '10.1.2.3'],
  ['10.1.2.3', '6.6.6.6, junk', '10.1.2.3'],
  ['192.168.1.2', '198.51.100.1', '192.168.1.2'],
  ['', '198.51.100.1', ''],
])('from %p, forwarded for %p: %p', (peer, header, address) => {
  expect(of(peer, forwarded(header))).toBe(address);
});

test('without trusted proxies, the header is ignored', () => {
  expect(clientAddresses([])('10.1.2.3', forwarded('6.6.6.6'))).toBe('10.1.2.3');
});

test.each(['999.1.1.1', '10.0.0.0/33', '1.2.3', ':::', 'fd00::/129'])(
  '%p is rejected with its index',
  (range) => {
    expect(() => clientAddresses(['10.0.0.1', range])).toThrow(
      "Validation error in field 'web_configuration.trusted_proxies[1]'",
    );
  },
);

test('failed logins are counted by the address from trusted proxies only', async () => {
  for (const [proxies, counted] of [
    ['["127.0.0.1"]', false],
    ['[]', true],
  ] as const) {
    const config = protectedConfig('failed_logins_per_minute: 2').replace(
      'web_configuration:',
      `web_configuration:\n  trusted_proxies: ${proxies}`,
    );
    const service = await testService({ config });
    const from = (address: string) => ({
      fetch: (path: string, init: RequestInit = {}) =>
        service.fetch(path, {
          ...init,
          headers: { ...(init.headers as object), 'x-forwarded-for': address },
        }),
    });
    for (let round = 0; round < 2; round++) await login(from('198.51.100.1'), 'bob', 'wrong');
    expect((await login(from('198.51.100.1'), 'bob', 'wrong')).status).toBe(429);
    expect((await login(from('198.51.100.2'), 'bob', 'wrong')).status).toBe(counted ? 429 : 401);
    await service.close();
  }
});
