/** The address of the client: of the socket, or as proxies tell it that are trusted. */
import { BlockList, isIP } from 'node:net';
import { configurationError } from '../../state/errors.ts';

/** Throws CONFIGURATION_ERROR for what is no address or range. */
export function clientAddresses(proxies: readonly string[]): (peer: string, headers: Headers) => string {
  if (proxies.length === 0) return plain;
  const isTrusted = trustedAddresses(proxies);

  /** Each proxy appends who asked it: from the right, the first that is not trusted. What stands before, anybody may write. */
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

/** Whether an address is that of a proxy. Throws CONFIGURATION_ERROR for what is no address or range. */
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
    if (isIP(address) === 0) throw new RangeError('no address');
    list.addSubnet(address, prefix === undefined ? (version === 'ipv6' ? 128 : 32) : Number(prefix), version);
  } catch {
    throw configurationError(
      `web_configuration.trusted_proxies[${index}]`,
      'expected an IP address or a range such as 10.0.0.0/8',
    );
  }
}

/** Without a port, and an IPv4 address as such where the socket is of both kinds. */
function plain(address: string): string {
  return address
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
