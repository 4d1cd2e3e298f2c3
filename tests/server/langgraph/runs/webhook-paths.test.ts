/** A webhook that is a path: it is delivered to the project's app without a network, whatever hosts are allowed. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { type TestService, testService, writeGraphs } from '../../../support/service.ts';
import { appFolder } from '../../http-app/served-app.ts';
import { until } from '../../support/until.ts';

const APP = `
import { Hono } from 'hono';
const received: unknown[] = [];
export const app = new Hono()
  .post('/custom/webhook', async (c) => {
    received.push({ query: c.req.query('of'), type: c.req.header('content-type'), ...(await c.req.json()) });
    return c.body(null, 204);
  })
  .get('/custom/webhook', (c) => c.json(received));`;
const GRAPH = `
export default new StateGraph(Annotation.Root({ n: Annotation() }))
  .addNode('one', ({ n }) => ({ n: n + 1 })).addEdge(START, 'one').compile();`;

let service: TestService;
beforeAll(async () => {
  const folder = appFolder(APP);
  await Bun.write(join(folder, 'langgraph.json'), JSON.stringify(LANGGRAPH_JSON));
  await writeGraphs(folder, { counter: GRAPH });
  service = await testService({ folder, config: 'webhooks: {allowed_hosts: [hooks.example.org]}' });
});
afterAll(async () => {
  await service.close();
  rmSync(service.folder, { recursive: true });
});

const LANGGRAPH_JSON = { graphs: {}, http: { app: './src/http.ts:app' } };

test("the project's app gets the same request as a URL", async () => {
  const client = new Client({ apiUrl: service.url, apiKey: null });
  const received = async () => (await (await service.fetch('/custom/webhook')).json()) as object[];
  await client.runs.wait(null, 'counter', { input: { n: 1 }, webhook: '/custom/webhook?of=ann' });
  await until(async () => (await received()).length > 0);
  expect(await received()).toMatchObject([
    { query: 'ann', type: 'application/json', status: 'success', values: { n: 2 } },
  ]);
});
