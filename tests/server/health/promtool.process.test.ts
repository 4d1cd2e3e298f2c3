/** The metrics pass the check of Prometheus's own tool. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { reportMissing } from '../../support/missing.ts';
import { scriptedProvider } from '../../support/provider.ts';
import { providerEnv, testService } from '../../support/service.ts';

setDefaultTimeout(60_000);

const promtool = Bun.which('promtool');
if (!promtool) reportMissing('promtool', 'apt-get install -y prometheus');

test.if(promtool !== null)('promtool reports no problems in the metrics', async () => {
  const provider = scriptedProvider();
  const service = await testService({ env: providerEnv(provider.url) });
  try {
    await service.chat({ user_prompt: 'It broke.' });
    const text = await (await service.fetch('/metrics')).text();
    const check = Bun.spawn([promtool ?? '', 'check', 'metrics'], {
      ...{ stdin: new Blob([text]), stdout: 'pipe', stderr: 'pipe' },
    });
    const output = [check.stdout, check.stderr].map((stream) => new Response(stream).text());
    expect({ output: (await Promise.all(output)).join(''), exit: await check.exited }).toEqual({
      output: '',
      exit: 0,
    });
  } finally {
    await service.close();
    await provider.close();
  }
});
