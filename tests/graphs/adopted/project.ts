/** A temporary project with the programs, which uses the packages of this checkout. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import { type Provider, scriptedProvider } from '../../support/provider.ts';
import { type TestOptions, type TestService, testService } from '../../support/service.ts';
import { programScript } from './script.ts';

const PROGRAMS = join(import.meta.dir, 'programs');
const PACKAGES = join(import.meta.dir, '../../../node_modules');

export interface Project {
  folder: string;
  provider: Provider;
  /** The endpoint of OpenAI's client. */
  env: Record<string, string>;
  /** The exports of a program's file. */
  graph(name: string): Promise<CompiledGraph>;
  close(): Promise<void>;
}

/** Changes the environment of this process until it is closed. `graphs` are the texts of further graph files by name. */
export async function openProject(graphs: Record<string, string> = {}): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-programs-'));
  cpSync(PROGRAMS, folder, { recursive: true });
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(graphs))
    await Bun.write(join(folder, 'graphs', name, 'graph.ts'), text);
  const provider = scriptedProvider(programScript);
  const env: Record<string, string> = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'secret-key' };
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return {
    folder,
    provider,
    env,
    graph: async (name) => (await import(join(folder, 'graphs', name, 'graph.ts'))).default,
    async close() {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export interface ServedProject extends Project {
  service: TestService;
}

/** Also starts a service for it in this process. */
export async function serveProject(
  graphs: Record<string, string> = {},
  options: Pick<TestOptions, 'config'> = {},
): Promise<ServedProject> {
  const project = await openProject(graphs);
  const service = await testService({ ...options, folder: project.folder });
  return {
    ...project,
    service,
    async close() {
      await service.close();
      await project.close();
    },
  };
}
