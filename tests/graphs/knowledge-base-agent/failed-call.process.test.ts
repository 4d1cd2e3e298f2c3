/** A run that goes on after a failed model call: the service log says why the call failed. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningProvider } from '../../server/support/running.ts';
import { until } from '../../server/support/until.ts';
import { listening, spawnCommand } from '../../support/process.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../../support/service.ts';

const provider = runningProvider();

test('if no other words can be asked for, nothing is found, and the service log names the reason', async () => {
  provider.script = () => Response.json({ error: { message: 'Incorrect key' } }, { status: 401 });
  const folder = mkdtempSync(join(tmpdir(), 'skein-failed-call-'));
  const service = await listening(
    spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, {
      ...WITHOUT_SAMPLES,
      ...providerEnv(provider.url),
    }),
  );
  try {
    const response = await fetch(`${service.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ conversation_flow: 'knowledge-base-agent', thread_id: 't', user_prompt: 'Qqqq zzzz?' },
      }),
    });
    expect(response.status).toBe(200);
    const { run_id, outputs } = (await response.json()) as {
      run_id: string;
      outputs: [{ data: { found: boolean } }];
    };
    expect(outputs[0].data.found).toBe(false);
    const logged = () =>
      service
        .output()
        .split('\n')
        .find((line) => line.includes('a model call failed'));
    await until(() => logged() !== undefined);
    expect(JSON.parse(logged() ?? '')).toMatchObject({
      ...{ level: 40, run_id, task: 'condense' },
      reason: expect.stringContaining('Incorrect key'),
    });
  } finally {
    service.kill('SIGKILL');
    await service.exited;
    rmSync(folder, { recursive: true });
  }
});
