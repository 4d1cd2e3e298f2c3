/** Run as a process of its own: reads a graph's schemas from its types, and writes them to standard output. */
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import type { GraphSource } from './graph-types.ts';

interface Asked {
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

/** What is used of https://github.com/microsoft/TypeScript/wiki/Using-the-Compiler-API. */
interface Compiler {
  version: string;
  sys?: { fileExists(path: string): boolean; readFile(path: string, encoding?: string): string | undefined };
  findConfigFile(folder: string, exists: (path: string) => boolean, name: string): string | undefined;
}

// As projects of today are written: with the compiler's own defaults, `Promise` would be unknown.
const SETTINGS = JSON.stringify({
  compilerOptions: {
    ...{ target: 'ES2022', lib: ['ES2023', 'DOM'], module: 'NodeNext', moduleResolution: 'nodenext' },
    ...{ esModuleInterop: true, strict: true, skipLibCheck: true },
  },
  files: [],
});

// Where the cores are few, the service's own work goes first.
const NICE = 5;

if (import.meta.main) {
  setPriority(NICE);
  // The extractor reports there what it objects to, in between what is answered.
  console.log = () => {};
  const { extractor, source }: Asked = JSON.parse(process.argv[2] ?? '');
  await trustPackages(extractor, dirname(source.file));
  const { getStaticGraphSchema }: Extractor = await import(extractor);
  const spec = { sourceFile: source.file, exportSymbol: source.export };
  const types = await getStaticGraphSchema(spec, { mainThread: true });
  await Bun.write(Bun.stdout, JSON.stringify(types));
}

/** In a project without a tsconfig.json the compiler would check the types of every package, which takes as long again. */
async function trustPackages(extractor: string, folder: string): Promise<void> {
  const compiler = await import(Bun.resolveSync('typescript', dirname(extractor)));
  const { version, sys, findConfigFile }: Compiler = compiler.default;
  if (!sys) throw new Error(`@langchain/langgraph-api needs typescript 5 beside it, and finds ${version}`);
  const { fileExists, readFile } = sys;
  if (findConfigFile(folder, fileExists, 'tsconfig.json')) return;
  const settings = join(folder, 'tsconfig.json');
  sys.fileExists = (path) => path === settings || fileExists(path);
  sys.readFile = (path, encoding) => (path === settings ? SETTINGS : readFile(path, encoding));
}
