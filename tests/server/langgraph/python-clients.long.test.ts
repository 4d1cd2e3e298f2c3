/** LangChain's clients for Python: its SDK, and RemoteGraph of its LangGraph. */
import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { answered } from '../../graphs/adopted/script.ts';
import { servedDesk } from '../support/desk.ts';
import { pythonWith, run } from '../support/python.ts';

const PACKAGES = ['langgraph==1.2.22', 'langgraph-sdk==0.4.14'];
const CASES = [
  ...['threads', 'runs', 'cancel', 'interrupts', 'store', 'assistants'],
  // RemoteGraph, alone and as a node of another graph.
  ...['remote', 'node'],
];

const project = servedDesk();
let python: string | undefined;
beforeAll(async () => {
  python = await pythonWith(PACKAGES);
  project().provider.script = (request) =>
    request.messages.at(-1)?.content === 'hold' ? new Promise<Response>(() => {}) : answered(request);
}, 300_000);

test.each(CASES)(
  '%s',
  async (name) => {
    if (python === undefined) return;
    const script = join(import.meta.dir, 'python-clients.py');
    const { code, text } = await run([python, script, project().service.url, name]);
    expect({ code, text }).toEqual({ code: 0, text: '' });
  },
  120_000,
);
