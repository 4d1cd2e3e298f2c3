/** Serves a project whose langgraph.json names an HTTP app. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestOptions, type TestService, testService } from '../../support/service.ts';

const PACKAGES = join(import.meta.dir, '../../../node_modules');

/** `app` is the source of src/http.ts, which exports `app` and can import the packages of this repository. */
export function appFolder(app: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-http-app-'));
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  mkdirSync(join(folder, 'src'));
  const files = { 'src/http.ts': app, 'langgraph.json': JSON.stringify(LANGGRAPH_JSON) };
  for (const [name, text] of Object.entries(files)) Bun.write(join(folder, name), text);
  return folder;
}

const LANGGRAPH_JSON = { graphs: {}, http: { app: './src/http.ts:app' } };

export async function servedApp(app: string, options: TestOptions = {}): Promise<TestService> {
  const folder = appFolder(app);
  const service = await testService({ ...options, folder });
  return {
    ...service,
    async close() {
      await service.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A request with a JSON body. */
export function posted(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
