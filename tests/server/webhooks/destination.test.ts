/** Without hosts in the settings, webhooks can go to every public host. */
import { expect, test } from 'bun:test';
import { checkWebhook } from '../../../server/webhooks/destination.ts';

const refusalOf = (webhook: string, allowed_hosts: string[] = []) => {
  try {
    checkWebhook(webhook, { allowed_hosts });
    return undefined;
  } catch (error) {
    return (error as { detail: string }).detail;
  }
};

test('without a list, public hosts and paths of the service are allowed', () => {
  for (const webhook of ['https://example.org/a?b', 'http://8.8.8.8:8080/', '/custom/webhook', '/'])
    expect([webhook, refusalOf(webhook)]).toEqual([webhook, undefined]);
});

test('a path with whitespace that URL parsers drop is not a path of the service', () => {
  for (const webhook of ['/\t/example.org', '/\n\\example.org', '/\r\t//example.org'])
    expect(refusalOf(webhook)).toBe('webhook: expected an http or https URL, or a path that starts with /');
});

test('without a list, private addresses are rejected in every spelling', () => {
  for (const webhook of [
    ...['http://127.0.0.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://[::1]/'],
    ...[
      'http://[::ffff:127.0.0.1]/',
      'http://169.254.169.254/latest',
      'http://localhost/',
      'http://LOCALHOST./',
    ],
    ...['http://a.localhost/', 'http://10.1.2.3/', 'http://[fe80::1]/'],
  ])
    expect([webhook, refusalOf(webhook)]).toEqual([
      ...[webhook, 'webhook: its host is neither public nor in webhooks.allowed_hosts'],
    ]);
});

test('a host of the list can be private, in any case and with or without brackets', () => {
  const list = ['Hooks.Internal', '10.0.0.5', '::1'];
  for (const webhook of [
    'http://hooks.internal:8080/',
    'http://HOOKS.internal./',
    'http://10.0.0.5/',
    'http://[::1]/',
  ])
    expect([webhook, refusalOf(webhook, list)]).toEqual([webhook, undefined]);
  for (const webhook of ['http://10.0.0.6/', 'https://example.org/', 'http://x.hooks.internal/'])
    expect(refusalOf(webhook, list)).toBe('webhook: its host is not in webhooks.allowed_hosts');
});
