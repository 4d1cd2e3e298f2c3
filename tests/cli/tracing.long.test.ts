/** LangSmith's tracing, turned on by its variables, against a local server in place of LangSmith. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { spawnService } from '../support/process.ts';

setDefaultTimeout(30_000);

/** The requests of LangSmith's client. */
function traceServer() {
  const received: string[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const body = new Uint8Array(await request.arrayBuffer());
      const packed = request.headers.get('content-encoding') === 'zstd';
      received.push(new TextDecoder().decode(packed ? Bun.zstdDecompressSync(body) : body));
      return Response.json({});
    },
  });
  return { url: server.url.href, received, close: () => server.stop(true) };
}

test.each(['.env', 'environment'])('a turn is traced if the %s turns tracing on', async (place) => {
  const traces = traceServer();
  const folder = mkdtempSync(join(tmpdir(), 'skein-tracing-'));
  const variables = { LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: traces.url, LANGSMITH_API_KEY: 'k' };
  const lines = Object.entries(variables).map(([name, text]) => `${name}=${text}`);
  if (place === '.env') await Bun.write(join(folder, '.env'), lines.join('\n'));
  const service = await spawnService(folder, place === '.env' ? {} : variables);
  try {
    await fetch(`${service.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_prompt: 'The pedal broke.', conversation_flow: 'classification-agent' }),
    });
    await until(() => traces.received.some((text) => text.includes('support_responder')), 15_000);
    expect(traces.received.join('\n')).toContain('"name":"classification_agent"');
  } finally {
    service.kill('SIGKILL');
    await service.exited;
    await traces.close();
    rmSync(folder, { recursive: true });
  }
});
