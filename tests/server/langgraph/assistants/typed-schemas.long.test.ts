/** The schemas of graphs that only have TypeScript types, as LangGraph's client gets them. */
import { expect, onTestFinished, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { typedProject } from '../../../graphs/adoption/schemas/typed-project.ts';
import { testService } from '../../../support/service.ts';

// The compiler takes seconds, and more on a busy machine.
setDefaultTimeout(120_000);

function projectOf(typescript?: 'typescript' | 'typescript-5'): string {
  const folder = typedProject(typescript);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The schemas of the graph and of its subgraphs, from a new service. */
async function schemasIn(folder: string, assistant = 'typed') {
  const service = await testService({ folder });
  try {
    const { assistants } = new Client({ apiUrl: service.url, apiKey: null });
    const began = performance.now();
    const pending = assistants.getSchemas(assistant);
    // While the compiler runs, other requests are answered.
    const slowest = await slowestAnswer(service.fetch, pending);
    return {
      schemas: await pending,
      subgraphs: await assistants.getSubgraphs(assistant, { recurse: true }),
      took: performance.now() - began,
      slowest,
    };
  } finally {
    await service.close();
  }
}

async function slowestAnswer(fetch: (path: string) => Promise<Response>, work: Promise<unknown>) {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  let slowest = 0;
  while (!isOver) {
    const began = performance.now();
    await (await fetch('/ok')).json();
    slowest = Math.max(slowest, performance.now() - began);
    await Bun.sleep(20);
  }
  return slowest;
}

const NOTHING = {
  ...{ input_schema: null, output_schema: null, state_schema: null },
  ...{ config_schema: null, context_schema: null },
};

test('schemas are derived from the types without blocking other requests, and cached for the next start', async () => {
  const folder = projectOf('typescript-5');
  const { schemas, subgraphs, slowest } = await schemasIn(folder);
  const state = {
    type: 'object',
    properties: { question: { type: 'string' }, step: { type: 'string', enum: ['first', 'second'] } },
    $schema: 'http://json-schema.org/draft-07/schema#',
  };
  const context = { type: 'object', properties: { model: { type: 'string', enum: ['large', 'small'] } } };
  expect(schemas).toMatchObject({
    graph_id: 'typed',
    ...{ input_schema: state, output_schema: state, state_schema: state },
    ...{ config_schema: context, context_schema: context },
  });
  const inner = {
    type: 'object',
    properties: { question: { type: 'string' }, depth: { type: 'number' } },
  };
  expect(Object.keys(subgraphs)).toEqual(['deep']);
  expect(subgraphs.deep as unknown).toMatchObject({ state: inner, state_schema: inner, input: inner });
  expect(slowest).toBeLessThan(2_000);

  expect(readdirSync(join(folder, 'node_modules/.cache/skein'))).toHaveLength(1);
  const again = await schemasIn(folder);
  expect(again.schemas).toEqual(schemas);
  expect(again.took).toBeLessThan(2_000);
});

test('without the package or with an unsupported compiler, there are no schemas', async () => {
  const without = await schemasIn(projectOf());
  expect(without.schemas).toEqual({ graph_id: 'typed', ...NOTHING });
  expect(without.subgraphs.deep).toMatchObject(NOTHING);
  const other = await schemasIn(projectOf('typescript'));
  expect(other.schemas).toEqual({ graph_id: 'typed', ...NOTHING });
});

test('a default export has no schemas, because its types have no names', async () => {
  const { schemas } = await schemasIn(projectOf('typescript-5'), 'unnamed');
  expect(schemas).toEqual({ graph_id: 'unnamed', ...NOTHING });
});
