/** A real OpenTelemetry Collector receives the traces of a service. It is built with Go from the module proxy. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SEND_IMMEDIATELY } from '../../support/otlp-receiver.ts';
import { spawnProcess, spawnService } from '../../support/process.ts';
import { run } from '../support/python.ts';
import { until } from '../support/until.ts';

// The first build compiles the whole collector.
setDefaultTimeout(900_000);

const SOURCE = join(import.meta.dir, 'collector');
const CACHE = join(import.meta.dir, '../../../node_modules/.cache/skein');

test('the OpenTelemetry Collector receives every span of a chat, in one trace', async () => {
  const program = await builtCollector();
  if (program === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'skein-collector-'));
  const port = freePort();
  await Bun.write(join(folder, 'collector.yaml'), configuration(port));
  const collector = spawnProcess([program, '--config', join(folder, 'collector.yaml')], folder, {});
  const printed = Array.fromAsync(collector.lines);
  const service = await spawnService(folder, {
    ...SEND_IMMEDIATELY,
    SERVICE_TELEMETRY__OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  });
  try {
    await until(() => collector.output().includes('Everything is ready'), 30_000);
    const response = await fetch(`${service.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        conversation_flow: 'classification-agent',
        user_prompt: 'The pedal is broken!',
      }),
    });
    expect(response.status).toBe(200);
    const names = [
      'POST /api/v1/chat',
      'invoke_workflow classification-agent',
      'invoke_agent classification_agent',
      'invoke_agent support_responder',
      'chat skein-offline',
    ];
    await until(() => names.every((name) => spansNamed(collector.output(), name) > 0), 30_000);
    const output = collector.output();
    expect(new Set(output.match(/(?<=Trace ID {7}: )\w+/g)).size).toBe(1);
    expect(output).toContain('-> service.name: Str(skein)');
    expect(output).toMatch(/-> gen_ai\.usage\.input_tokens: Int\(\d+\)/);
  } finally {
    service.kill('SIGKILL');
    collector.kill('SIGTERM');
    await Promise.all([service.exited, collector.exited, printed]);
    rmSync(folder, { recursive: true });
  }
});

/** The program, built once; undefined, with a line that says why, without Go or if its modules can't be downloaded. */
async function builtCollector(): Promise<string | undefined> {
  const go = Bun.which('go');
  if (go === null) {
    console.log('SKIPPED: go not found; install Go to test against a real OpenTelemetry Collector');
    return undefined;
  }
  const sums = await Bun.file(join(SOURCE, 'go.sum')).text();
  const program = join(CACHE, `collector-${Bun.hash(sums).toString(36)}`);
  if (existsSync(program)) return program;
  mkdirSync(CACHE, { recursive: true });
  const built = `${program}-${process.pid}`;
  const { code, text } = await run([go, 'build', '-C', SOURCE, '-o', built, '.']);
  if (code !== 0) {
    console.log(`SKIPPED: the OpenTelemetry Collector cannot be built: ${text.slice(-500)}`);
    return undefined;
  }
  renameSync(built, program);
  return program;
}

function spansNamed(output: string, name: string): number {
  return output.split('\n').filter((line) => line.trim().replace(/\s+/g, ' ') === `Name : ${name}`).length;
}

function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop();
  return port;
}

function configuration(port: number): string {
  return Bun.YAML.stringify({
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { debug: { verbosity: 'detailed' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['debug'] } },
    },
  });
}
