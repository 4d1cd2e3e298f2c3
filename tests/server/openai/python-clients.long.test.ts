/** OpenAI's package for Python, its Agents SDK and LiteLLM with workflows as their models. */
import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { pythonWith, run } from '../support/python.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { GRAPHS } from './graphs.ts';
import { PYTHON_PACKAGES } from './python-packages.ts';

const CASES = ['models', 'chat', 'thread', 'responses', 'agents', 'litellm'];

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);
let python: string | undefined;
beforeAll(async () => {
  python = await pythonWith(PYTHON_PACKAGES);
}, 600_000);

test.each(CASES)(
  '%s',
  async (name) => {
    if (python === undefined) return;
    const script = join(import.meta.dir, 'python-clients.py');
    const { code, text } = await run([python, script, service.url, name]);
    expect({ code, text: code === 0 ? '' : text }).toEqual({ code: 0, text: '' });
  },
  120_000,
);
