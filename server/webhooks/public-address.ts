/** Tells whether an IP address is public: not in a private network, not loopback and not reserved. */
import { BlockList, isIP } from 'node:net';

// IANA's special-purpose address registry, plus multicast and reserved ranges.
const RESERVED_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
// Only 2000::/3 is global unicast. These ranges of it are for documentation, or for Teredo and 6to4, which embed IPv4 addresses.
const RESERVED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const reserved = blockList(RESERVED_V4, RESERVED_V6);
const unicast = blockList([], ['2000::/3']);

/** Returns false for text that is not an IP address. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  if (isIP(bare) === 4) return !reserved.check(bare, 'ipv4');
  if (isIP(bare) !== 6) return false;
  const inner = embeddedV4(bare);
  if (inner !== undefined) return isPublicAddress(inner);
  return unicast.check(bare, 'ipv6') && !reserved.check(bare, 'ipv6');
}

/** The embedded IPv4 address of an IPv4-mapped (::ffff:0:0/96) or NAT64 (64:ff9b::/96) address. */
function embeddedV4(address: string): string | undefined {
  const groups = groupsOf(address);
  const prefix = groups.slice(0, 6).join(':');
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return undefined;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  // URL converts to the canonical form, which has no dotted part and at most one `::`.
  const { hostname } = new URL(`http://[${address}]`);
  const [left = '', right] = hostname.slice(1, -1).split('::');
  const [before, after] = [left, right ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const known = [...(before ?? []), ...(after ?? [])].length;
  return [...(before ?? []), ...Array.from({ length: 8 - known }, () => '0'), ...(after ?? [])];
}

function blockList(v4: string[], v6: string[]): BlockList {
  const list = new BlockList();
  for (const [ranges, version] of [[v4, 'ipv4'] as const, [v6, 'ipv6'] as const])
    for (const range of ranges) {
      const [address = '', prefix] = range.split('/');
      list.addSubnet(address, Number(prefix), version);
    }
  return list;
}
