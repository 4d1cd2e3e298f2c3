/** Starts the service for tests: in a separate process, with temporary files, called over HTTP. */
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const project = join(import.meta.dir, '..');

export interface RunningService {
  url: string;
  /** Any field of the chat endpoint's request. */
  chat(request: object): Promise<{ status: number; body: Answer }>;
  stop(): Promise<void>;
}

interface Answer {
  message?: string;
  agent_response: string;
  outputs: { agent: string; content: string; data: unknown }[];
}

/** Without .env and profiles.yml there is no provider: the built-in model answers, and the tests cost nothing. */
export async function startService(): Promise<RunningService> {
  const files = mkdtempSync(join(tmpdir(), 'service-test-'));
  for (const name of ['config.yml', 'graphs', '.files'])
    if (existsSync(join(project, name))) symlinkSync(join(project, name), join(files, name));
  const main = join(project, 'node_modules', 'skein', 'cli', 'main.ts');
  const flags = ['--port', '0', '--host', '127.0.0.1', '--log-level', 'error'];
  const service = Bun.spawn([process.execPath, '--no-env-file', main, 'serve', ...flags], {
    cwd: files,
    env: { PATH: process.env.PATH, HOME: files, SERVICE_WEB_CONFIGURATION__AUTHENTICATION__ENABLE: 'false' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const url = await addressIn(service.stdout);
  return {
    url,
    async chat(request) {
      const response = await fetch(`${url}/api/v1/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      return { status: response.status, body: (await response.json()) as Answer };
    },
    async stop() {
      service.kill('SIGTERM');
      await service.exited;
      rmSync(files, { recursive: true, force: true });
    },
  };
}

async function addressIn(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of output) {
    text += new TextDecoder().decode(piece);
    const [, url] = /listening on (\S+)/.exec(text) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`the service ended before it listened:\n${text}`);
}
