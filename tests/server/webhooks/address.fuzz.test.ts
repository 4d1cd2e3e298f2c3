/** Webhooks never reach a private network, in any notation of an address. */
import { expect } from 'bun:test';
import fc from 'fast-check';
import { checkWebhook, isOwnPath } from '../../../server/webhooks/destination.ts';
import { isPublicAddress } from '../../../server/webhooks/public-address.ts';
import { SkeinError } from '../../../state/errors.ts';
import { anyOrder, anyText, property } from '../../support/property.ts';

const byte = fc.nat(255);
const v4 = fc.tuple(byte, byte, byte, byte);
const group = fc.nat(0xffff);

/** The special-purpose ranges of IANA's registry, grouped by their first byte. */
function isReservedV4([a, b, c]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || (a ?? 0) >= 224) return true;
  if (a === 100) return (b ?? 0) >= 64 && (b ?? 0) < 128;
  if (a === 169) return b === 254;
  if (a === 172) return (b ?? 0) >= 16 && (b ?? 0) < 32;
  if (a === 192) return b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99);
  if (a === 198) return b === 18 || b === 19 || (b === 51 && c === 100);
  return a === 203 && b === 0 && c === 113;
}

/** Addresses near the borders of the ranges. */
const near = fc
  .tuple(
    fc.constantFrom(0, 9, 10, 100, 127, 128, 169, 172, 192, 198, 203, 223, 224, 255),
    fc.constantFrom(0, 15, 16, 18, 19, 31, 32, 51, 63, 64, 88, 127, 128, 168, 254),
    fc.constantFrom(0, 1, 2, 99, 100, 113),
    byte,
  )
  .map((all) => all as [number, number, number, number]);

property(
  'an IPv4 address is public if and only if it is outside of the reserved ranges',
  [fc.oneof(v4, near)],
  (address) => {
    expect(isPublicAddress(address.join('.'))).toBe(!isReservedV4(address));
  },
);

property(
  'an IPv4 address embedded in IPv6 is public if and only if it is public itself',
  [fc.oneof(v4, near)],
  (address) => {
    const [a, b, c, d] = address;
    const [high, low] = [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
    const isPublic = !isReservedV4(address);
    for (const prefix of ['::ffff:', '0:0:0:0:0:FFFF:', '64:ff9b::'])
      for (const inner of [address.join('.'), `${high}:${low}`]) {
        expect([prefix, inner, isPublicAddress(prefix + inner)]).toEqual([prefix, inner, isPublic]);
        expect(isPublicAddress(`[${prefix}${inner}]`)).toBe(isPublic);
      }
  },
);

property(
  'an IPv6 address is public only within 2000::/3',
  [fc.array(group, { minLength: 8, maxLength: 8 })],
  (groups) => {
    const address = groups.map((one) => one.toString(16)).join(':');
    if (isPublicAddress(address)) expect((groups[0] ?? 0) >> 13).toBe(1);
    for (const inner of ['2002', '3fff'])
      expect(
        isPublicAddress(
          `${inner}:${groups
            .slice(1)
            .map((one) => (one & 0xfff).toString(16))
            .join(':')}`,
        ),
      ).toBe(inner === '3fff' && ((groups[1] ?? 0) & 0xfff) >= 0x1000);
  },
);

const NONE = { allowed_hosts: [] };

function refusal(url: string): SkeinError | undefined {
  try {
    checkWebhook(url, NONE);
    return undefined;
  } catch (error) {
    if (error instanceof SkeinError) return error;
    throw error;
  }
}

/** The notations of an address that URLs allow: one number, octal, hexadecimal, or fewer parts. */
const written = fc
  .oneof(v4, near)
  .chain(([a, b, c, d]) =>
    fc
      .constantFrom(
        `${a}.${b}.${c}.${d}`,
        String(a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d),
        `0x${a.toString(16)}.${b}.${c}.0${d.toString(8)}`,
        `${a}.${b}.${c * 256 + d}`,
        `%3${String(a).charAt(0)}${String(a).slice(1)}.${b}.${c}.${d}`,
        `${a}。${b}．${c}｡${d}`,
        `[::ffff:${a}.${b}.${c}.${d}]`,
        `${a}.${b}.${c}.${d}.`,
      )
      .map((host) => ({ host, isReserved: isReservedV4([a, b, c, d]) })),
  );

property(
  'a webhook to a reserved address is rejected in any notation',
  [written, fc.constantFrom('http', 'https', 'HTTP')],
  ({ host, isReserved }, scheme) => {
    const url = `${scheme}://${host}:8080/x`;
    if (!URL.canParse(url)) return expect(refusal(url)?.code).toBe('INVALID_REQUEST');
    expect([url, refusal(url)?.code]).toEqual([url, isReserved ? 'INVALID_REQUEST' : undefined]);
  },
);

const PIECES = [
  'http',
  'https',
  'ftp',
  'file',
  ':',
  '/',
  '//',
  '\\',
  '@',
  'a',
  'user',
  'localhost',
  '.localhost',
  '127.1',
  '0',
  '[::1]',
  '[::]',
  '.',
  '?',
  '#',
  '%',
  ' ',
  '\t',
  '\n',
  'example.com',
];

property(
  'an accepted webhook is an http address without credentials, or a path of this service',
  [fc.oneof(anyOrder(PIECES, 10), anyText)],
  (text) => {
    const error = refusal(text);
    if (error) {
      expect(error.code).toBe('INVALID_REQUEST');
      expect(error.detail).toStartWith('webhook: ');
      return;
    }
    if (isOwnPath(text)) {
      // Resolved against any base, the path stays at this service.
      return expect(new URL(text, 'http://service.test').origin).toBe('http://service.test');
    }
    const { protocol, username, password, hostname } = new URL(text);
    expect(protocol).toMatch(/^https?:$/);
    expect([username, password]).toEqual(['', '']);
    expect(hostname).not.toMatch(/^(localhost\.?|.*\.localhost\.?|127\.[\d.]+|0\.[\d.]+|\[::1?\])$/);
  },
);
