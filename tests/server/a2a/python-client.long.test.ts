/** A2A's package for Python, in both versions of the protocol. */
import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { KEY, protectedConfig } from '../support/credentials.ts';
import { pythonWith, run } from '../support/python.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { GRAPHS } from './graphs.ts';

const service = runningService(runningProvider(), `${protectedConfig()}a2a: {default: echo}\n`, GRAPHS);

let python: string | undefined;
beforeAll(async () => {
  python = await pythonWith(['a2a-sdk==1.3.0']);
}, 300_000);

test.each(['1.0', '0.3'])(
  'version %s',
  async (version) => {
    if (python === undefined) return;
    const script = join(import.meta.dir, 'python-client.py');
    const { code, text } = await run([python, script, service.url, version, KEY]);
    expect({ code, text }).toEqual({ code: 0, text: '' });
  },
  120_000,
);

test('cards match the official definitions, and say that push notifications are not supported', async () => {
  if (python === undefined) return;
  const agents = ['/a2a/echo', '/a2a/letter', '/a2a/trip', '/a2a/mixed', '/a2a/sql-manipulation-agent', ''];
  const urls = agents.map((agent) => `${service.url}${agent}/.well-known/agent-card.json`);
  const { code, text } = await run([python, join(import.meta.dir, 'agent-card.py'), ...urls]);
  expect({ code, text }).toEqual({ code: 0, text: '' });
}, 120_000);
