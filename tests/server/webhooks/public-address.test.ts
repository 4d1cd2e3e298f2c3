/** Public and non-public addresses in every form. */
import { expect, test } from 'bun:test';
import { isPublicAddress } from '../../../server/webhooks/public-address.ts';

test('addresses of the public internet are public, including IPv4 addresses in IPv6 form', () => {
  for (const address of [
    ...['8.8.8.8', '172.15.0.1', '172.32.0.1', '169.253.1.1', '100.63.0.1', '2606:4700:4700::1111'],
    ...['[2606:4700:4700::1111]', '::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8'],
  ])
    expect({ address, isPublic: isPublicAddress(address) }).toEqual({ address, isPublic: true });
});

test('private, loopback, link-local and reserved addresses are not, in any form', () => {
  for (const address of [
    ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '192.0.2.1'],
    ...['::1', '[::1]', '::', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'ff02::1', '2001:db8::1'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe', '::127.0.0.1'],
    ...['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '2002:7f00:1::', '2001::1', 'localhost', '', '127.1'],
  ])
    expect({ address, isPublic: isPublicAddress(address) }).toEqual({ address, isPublic: false });
});
