/** Sends a POST request that only connects to permitted addresses and follows no redirects. */
import { type LookupAddress, lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf } from './destination.ts';

export interface Posting {
  body: string;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Whether connections to this address are allowed. */
  permits(address: string): boolean;
  /** Resolves a host name. Default: the system's resolver. */
  resolve?: Resolve;
}

export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** Returns the status of the response. Throws if the request fails, or if an address of the host is not permitted. */
export function post(url: URL, posting: Posting): Promise<number> {
  const { body, headers, signal, permits, resolve = systemResolve } = posting;
  const { promise, resolve: respond, reject } = Promise.withResolvers<number>();
  const host = hostOf(url);
  if (isIP(host) !== 0 && !permits(host)) return Promise.reject(notPermitted());
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    // A new connection each time, because a kept-alive one would skip the check.
    agent: false as const,
    signal,
    // The socket connects only to the addresses that were checked, even if the name's addresses change (DNS rebinding).
    lookup: checkedLookup(permits, resolve),
  };
  const request = send(url, options, (response) => {
    respond(response.statusCode ?? 0);
    response.destroy();
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

function checkedLookup(permits: Posting['permits'], resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => permits(address)))
          return callback(notPermitted(), []);
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

const systemResolve: Resolve = (host) => {
  const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[]>();
  lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  return promise;
};

function notPermitted(): Error {
  return new Error('the host has a non-public address and is not in webhooks.allowed_hosts');
}
