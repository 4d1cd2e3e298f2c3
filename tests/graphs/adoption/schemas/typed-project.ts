/** A project whose graph has only types as its schemas, with or without LangGraph's extractor. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = join(import.meta.dir, '../../../../node_modules');
// The extractor needs this version of the compiler beside it, which is installed here under another name.
const OWN = new Set(['@langchain', '@typescript', 'typescript']);

const STATE = `import { Annotation } from '@langchain/langgraph';
export type Step = 'first' | 'second';
export const Outer = Annotation.Root({ question: Annotation<string>(), step: Annotation<Step>() });
export const Context = Annotation.Root({ model: Annotation<'small' | 'large'>() });`;

const GRAPH = `import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { Context, Outer } from './state.ts';

const inner = new StateGraph(Annotation.Root({ question: Annotation<string>(), depth: Annotation<number>() }))
  .addNode('dig', () => ({ depth: 1 }))
  .addEdge(START, 'dig')
  .compile();

export const graph = new StateGraph(Outer, Context)
  .addNode('deep', inner)
  .addEdge(START, 'deep')
  .compile();

export default graph;`;

/** `typescript` is the package of the compiler. If it is undefined, the project has no extractor. */
export function typedProject(typescript?: 'typescript' | 'typescript-5'): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-typed-'));
  const packages = join(folder, 'node_modules');
  mkdirSync(join(packages, '@langchain'), { recursive: true });
  const link = (name: string, as = name) => symlinkSync(join(PACKAGES, name), join(packages, as));
  for (const name of readdirSync(PACKAGES)) if (!OWN.has(name) && !name.startsWith('.')) link(name);
  for (const name of readdirSync(join(PACKAGES, '@langchain')))
    if (name !== 'langgraph-api') link(`@langchain/${name}`);
  if (typescript) {
    // Copies, because links would resolve to the compiler of the repository.
    for (const name of ['@langchain/langgraph-api', '@typescript/vfs'])
      cpSync(join(PACKAGES, name), join(packages, name), { recursive: true });
    link(typescript, 'typescript');
  }
  const graphs = { typed: './src/graph.ts:graph', unnamed: './src/graph.ts' };
  const files = {
    'src/graph.ts': GRAPH,
    'src/state.ts': STATE,
    'langgraph.json': JSON.stringify({ graphs }),
  };
  for (const [name, text] of Object.entries(files)) Bun.write(join(folder, name), text);
  return folder;
}
