/** The client's address: the peer of the socket, or the one in X-Forwarded-For if the peer is a trusted proxy. */
import { BlockList, isIP } from 'node:net';
import { configurationError } from '../../../state/errors.ts';

/**
 * Returns a function from the peer and the request's headers to the client's address. Throws CONFIGURATION_ERROR if a proxy is
 * not an address or a range.
 */
export function clientAddresses(proxies: readonly string[]): (peer: string, headers: Headers) => string {
  if (proxies.length === 0) return plain;
  const isTrusted = trustedAddresses(proxies);

  // Each proxy appends the address of its peer, so the client is the first untrusted address from the right. Clients can forge
  // everything to its left.
  return (peer, headers) => {
    let address = plain(peer);
    const hops = (headers.get('x-forwarded-for') ?? '').split(',').map(plain);
    for (let hop = hops.pop(); hop !== undefined && isTrusted(address); hop = hops.pop()) {
      if (isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  };
}

/** Returns a function that tells whether an address is a trusted proxy. Throws CONFIGURATION_ERROR as `clientAddresses` does. */
export function trustedAddresses(proxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const [index, range] of proxies.entries()) addRange(trusted, range, index);
  return (address) => {
    const own = plain(address);
    return isIP(own) !== 0 && trusted.check(own, isIP(own) === 6 ? 'ipv6' : 'ipv4');
  };
}

function addRange(list: BlockList, range: string, index: number): void {
  const [address = '', prefix] = range.split('/');
  const version = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  try {
    if (isIP(address) === 0) throw new RangeError('not an address');
    list.addSubnet(address, prefix === undefined ? (version === 'ipv6' ? 128 : 32) : Number(prefix), version);
  } catch {
    throw configurationError(
      `web_configuration.trusted_proxies[${index}]`,
      'expected an IP address or a range such as 10.0.0.0/8',
    );
  }
}

/** Removes brackets, a port, and the IPv6 prefix of the IPv4 addresses on a dual-stack socket. */
function plain(address: string): string {
  return address
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
