/** A2A's package for Python, in both versions of the protocol. */
import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { KEY, protectedConfig } from '../support/credentials.ts';
import { pythonWith, run } from '../support/python.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { GRAPHS } from './graphs.ts';

const service = runningService(runningProvider(), protectedConfig(), GRAPHS);

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
