/** The run of a cron has no request, so the cron itself starts the trace. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { otlpReceiver, SEND_IMMEDIATELY } from '../../support/otlp-receiver.ts';
import { scriptedProvider } from '../../support/provider.ts';
import { providerEnv, testService } from '../../support/service.ts';
import { askState } from '../../support/stored-state.ts';

setDefaultTimeout(60_000);

test('the run of a cron is below the span that started it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-cron-spans-'));
  const receiver = otlpReceiver();
  const provider = scriptedProvider();
  const env = {
    ...providerEnv(provider.url),
    ...SEND_IMMEDIATELY,
    SERVICE_TELEMETRY__OTLP_ENDPOINT: receiver.url,
  };
  let service = await testService({ folder, env });
  try {
    const made = await service.fetch('/runs/crons', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        assistant_id: 'classification-agent',
        schedule: '0 0 1 1 *',
        input: { messages: [{ role: 'user', content: 'It broke.' }] },
      }),
    });
    const { cron_id } = (await made.json()) as { cron_id: string };
    // It becomes due while the service is down.
    await service.close();
    await askState(folder, 'UPDATE crons SET next_at = $1 WHERE cron_id = $2', Date.now() - 1_000, cron_id);
    service = await testService({ folder, env });
    const cron = await receiver.span('start cron run');
    const run = await receiver.span('invoke_workflow classification-agent');
    expect(cron).toMatchObject({ kind: 4, parentSpanId: '', attributes: { 'skein.cron.id': cron_id } });
    expect(run).toMatchObject({ traceId: cron.traceId, parentSpanId: cron.spanId });
  } finally {
    await service.close();
    await provider.close();
    await receiver.close();
    for (const name of Object.keys(SEND_IMMEDIATELY)) delete process.env[name];
    rmSync(folder, { recursive: true });
  }
});
