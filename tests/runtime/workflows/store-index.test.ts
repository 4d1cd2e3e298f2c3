/** Indexes of third-party graphs: that of a graph's own store, and that of langgraph.json. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testService } from '../../support/service.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-store-index-'));
symlinkSync(join(import.meta.dir, '../../../node_modules'), join(root, 'node_modules'));
afterAll(() => rmSync(root, { recursive: true }));

/** Vectors of two dimensions: how often a text says "sea", and how often "hill". */
const EMBED = `export const embed = (texts) => texts.map((text) => [text.split('sea').length - 1, text.split('hill').length - 1]);`;

const GRAPH = (compile: string) => `
import { Annotation, InMemoryStore, START, StateGraph } from '@langchain/langgraph';
import { embed } from './embed.ts';
const State = Annotation.Root({ query: Annotation<string>, found: Annotation<unknown> });
const embeddings = { embedDocuments: async (texts) => embed(texts), embedQuery: async (text) => embed([text])[0] };
export default new StateGraph(State)
  .addNode('remember', async ({ query }, { store }) => {
    await store.put(['walks'], 'coast', { text: 'the sea, the sea' });
    await store.put(['walks'], 'ridge', { text: 'a hill and a hill' });
    const found = await store.search(['walks'], { query });
    return { found: found.map(({ key, score }) => [key, score]) };
  })
  .addEdge(START, 'remember')
  .compile(${compile});`;

async function runSearch(files: Record<string, string>) {
  const folder = mkdtempSync(join(root, 'project-'));
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
  const service = await testService({ folder, config: '' });
  const { body } = await service.chat({
    conversation_flow: 'walks',
    user_prompt: 'x',
    input: { query: 'hill' },
  });
  await service.close();
  return { found: body.values?.found, warnings: service.service.warnings, body };
}

test("the index of a graph's own store ranks the items of the service's store", async () => {
  const own = 'new InMemoryStore({ index: { dims: 2, embeddings, fields: ["text"] } })';
  const { found: ranked, warnings } = await runSearch({
    'graphs/walks/graph.ts': GRAPH(`{ store: ${own} }`),
    'graphs/walks/embed.ts': EMBED,
  });
  expect(ranked).toEqual([
    ['ridge', expect.closeTo(1)],
    ['coast', expect.closeTo(0)],
  ]);
  expect(warnings).toContain("The graph 'walks' uses the service's store instead of its own");
});

test("the index of langgraph.json ranks the items of the service's store", async () => {
  const { found: ranked } = await runSearch({
    'langgraph.json': JSON.stringify({
      graphs: { walks: './src/graph.ts' },
      store: { index: { dims: 2, embed: './src/embed.ts:embed', fields: ['text'] } },
    }),
    'src/graph.ts': GRAPH(''),
    'src/embed.ts': EMBED,
  });
  expect(ranked?.map(([key]: [string]) => key)).toEqual(['ridge', 'coast']);
});

test('the service does not start if the embedder is missing, and the error names it', async () => {
  const json = { graphs: {}, store: { index: { dims: 2, embed: './src/embed.ts:missing' } } };
  const files = { 'langgraph.json': JSON.stringify(json), 'src/embed.ts': EMBED };
  await expect(runSearch(files)).rejects.toThrow('./src/embed.ts:missing does not export an embedder');
});
