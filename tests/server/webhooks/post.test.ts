/** A POST request connects only to checked addresses and follows no redirects. */
import { expect, test } from 'bun:test';
import type { LookupAddress } from 'node:dns';
import { post } from '../../../server/webhooks/post.ts';
import { isPublicAddress } from '../../../server/webhooks/public-address.ts';
import { runningReceiver } from './receiver.ts';

const hook = runningReceiver();
const posting = { body: '{"n":"ä"}', headers: { 'content-type': 'application/json' } };
const port = () => new URL(hook.url).port;
const signal = () => AbortSignal.timeout(5_000);
const NOT_PUBLIC = 'the host has a non-public address and is not in webhooks.allowed_hosts';

test('it sends the body unchanged and returns the status', async () => {
  hook.answer = () => new Response('no', { status: 503 });
  const permits = () => true;
  expect(await post(new URL(`${hook.url}/a?b=c`), { ...posting, signal: signal(), permits })).toBe(503);
  expect(hook.received).toMatchObject([{ path: '/a?b=c', text: posting.body }]);
});

test('a name with a private address is not connected to, even if it also has a public one', async () => {
  const lists: LookupAddress[][] = [
    [{ address: '127.0.0.1', family: 4 }],
    [{ address: '::ffff:127.0.0.1', family: 6 }],
    [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ],
    [],
  ];
  for (const addresses of lists) {
    const one = { ...posting, signal: signal(), permits: isPublicAddress, resolve: async () => addresses };
    const url = new URL(`http://hooks.example.org:${port()}/`);
    expect(post(url, one)).rejects.toThrow(NOT_PUBLIC);
    await post(url, one).catch(() => {});
  }
  for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]']) {
    const url = new URL(`http://${host}:${port()}/`);
    await expect(post(url, { ...posting, signal: signal(), permits: isPublicAddress })).rejects.toThrow(
      NOT_PUBLIC,
    );
  }
  expect(hook.received).toEqual([]);
});

test('a name is resolved once per attempt, so a different result of a second lookup has no effect', async () => {
  let lookups = 0;
  const resolve = async () => {
    lookups++;
    return [{ address: lookups === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 }];
  };
  const seen: string[] = [];
  const permits = (address: string) => seen.push(address) > 0;
  const url = new URL(`http://rebinding.example.org:${port()}/`);
  expect(await post(url, { ...posting, signal: signal(), permits, resolve })).toBe(200);
  expect({ lookups, seen }).toEqual({ lookups: 1, seen: ['127.0.0.1'] });
  expect(hook.received[0]?.headers.get('host')).toBe(`rebinding.example.org:${port()}`);
});

test('a redirect is not followed', async () => {
  hook.answer = () => Response.redirect(`${hook.url}/elsewhere`, 307);
  const permits = () => true;
  expect(await post(new URL(`${hook.url}/a`), { ...posting, signal: signal(), permits })).toBe(307);
  expect(hook.received.map(({ path }) => path)).toEqual(['/a']);
});

test('a request without a response ends with the signal', async () => {
  hook.answer = () => new Promise<Response>(() => {});
  const permits = () => true;
  const one = { ...posting, signal: AbortSignal.timeout(50), permits };
  await expect(post(new URL(hook.url), one)).rejects.toThrow();
});
