/** The light client's types are Eden's: the compiler checks this file. */
import { expect, test } from 'bun:test';
import type { createClient as edenClient } from '../../../client/client.ts';
import type { Client } from '../../../client/light/client.ts';
import type { ServiceRoutes } from '../../../client/light/service.ts';
import type { Differing } from './same-client.ts';

type Eden = ReturnType<typeof edenClient>;

test('every method of every route has the same arguments and results as in Eden', () => {
  const differing: [Differing<ServiceRoutes, Client, Eden>] extends [never]
    ? 'none'
    : Differing<ServiceRoutes, Client, Eden> = 'none';
  expect(differing).toBe('none');
});
