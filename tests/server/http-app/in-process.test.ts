/** Calls from within the process, by a path or any URL, while the service is open. */
import { expect, test } from 'bun:test';
import { Client } from '@langchain/langgraph-sdk';
import { openInProcess } from '../../../server/http-app/in-process.ts';

const place = globalThis as Record<symbol, unknown>;
const FETCH = Symbol.for('langgraph_api:fetch');
const ADDRESS = Symbol.for('langgraph_api:url');

test('a webhook with a path is delivered to the service itself, with its content', async () => {
  const inside = openInProcess(async (request) =>
    Response.json({ url: request.url, method: request.method, body: await request.json() }),
  );
  const sent = { method: 'POST', body: '{"run_id":"1"}' };
  const expected = { url: 'http://localhost/custom/webhook?a=1', method: 'POST', body: { run_id: '1' } };
  for (const url of ['/custom/webhook?a=1', 'http://elsewhere:9/custom/webhook?a=1'])
    expect(await (await inside.fetch(url, sent)).json()).toEqual(expected);
  inside.close();
});

test('clients without a URL call the service that was opened last, until it is closed', async () => {
  const ask = () => new Client({ callerOptions: { maxRetries: 0 } }).threads.count();
  const first = openInProcess(async () => Response.json(1));
  expect(place[ADDRESS]).toBe('http://localhost');
  first.serve('http://localhost:8080');
  expect([place[ADDRESS], await ask()]).toEqual(['http://localhost:8080', 1]);
  const second = openInProcess(async () => Response.json(2));
  first.serve('http://localhost:1');
  first.close();
  expect([place[ADDRESS], await ask()]).toEqual(['http://localhost', 2]);
  second.close();
  expect([place[FETCH], place[ADDRESS]]).toEqual([undefined, undefined]);
});
