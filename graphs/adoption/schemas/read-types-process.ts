/** Runs as a separate process: reads a graph's schemas from its types and writes them to standard output. */
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import type { GraphSource } from './graph-types.ts';

interface Input {
  /** The path of the extractor's module. */
  extractor: string;
  source: GraphSource;
}

interface Extractor {
  getStaticGraphSchema(
    spec: { sourceFile: string; exportSymbol: string },
    options: { mainThread: boolean },
  ): Promise<unknown>;
}

/** The part of https://github.com/microsoft/TypeScript/wiki/Using-the-Compiler-API that is used. */
interface Compiler {
  version: string;
  sys?: { fileExists(path: string): boolean; readFile(path: string, encoding?: string): string | undefined };
  findConfigFile(folder: string, exists: (path: string) => boolean, name: string): string | undefined;
}

// The usual settings of current projects. With the compiler's own defaults, `Promise` would be unknown.
const SETTINGS = JSON.stringify({
  compilerOptions: {
    ...{ target: 'ES2022', lib: ['ES2023', 'DOM'], module: 'NodeNext', moduleResolution: 'nodenext' },
    ...{ esModuleInterop: true, strict: true, skipLibCheck: true },
  },
  files: [],
});

// On machines with few cores the service's own work has priority.
const NICE = 5;

if (import.meta.main) {
  setPriority(NICE);
  // The extractor writes diagnostics to standard output, which is reserved for the result.
  console.log = () => {};
  const { extractor, source }: Input = JSON.parse(process.argv[2] ?? '');
  await trustPackages(extractor, dirname(source.file));
  const { getStaticGraphSchema }: Extractor = await import(extractor);
  const spec = { sourceFile: source.file, exportSymbol: source.export };
  const types = await getStaticGraphSchema(spec, { mainThread: true });
  await Bun.write(Bun.stdout, JSON.stringify(types));
}

/** In a project without a tsconfig.json the compiler would check the types of every package, which doubles the time. */
async function trustPackages(extractor: string, folder: string): Promise<void> {
  const compiler = await import(Bun.resolveSync('typescript', dirname(extractor)));
  const { version, sys, findConfigFile }: Compiler = compiler.default;
  if (!sys) throw new Error(`@langchain/langgraph-api requires typescript 5 but found ${version}`);
  const { fileExists, readFile } = sys;
  if (findConfigFile(folder, fileExists, 'tsconfig.json')) return;
  const settings = join(folder, 'tsconfig.json');
  sys.fileExists = (path) => path === settings || fileExists(path);
  sys.readFile = (path, encoding) => (path === settings ? SETTINGS : readFile(path, encoding));
}
