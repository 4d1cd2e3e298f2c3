/** The drawings of the programs as JSON, Mermaid and SVG, including their subgraphs. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { xmlProblem } from '../../server/support/well-formed.ts';
import { PROGRAMS } from './programs.ts';
import { type ServedProject, serveProject } from './project.ts';
import { got } from './turns.ts';

const ODD_NAMES = `
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
export default new StateGraph(Annotation.Root({ text: Annotation() }))
  .addNode('', () => ({})).addNode('\\u0000', () => ({})).addNode('<b> & "', () => ({}))
  .addEdge(START, '').addEdge('', '\\u0000').addEdge('\\u0000', '<b> & "').addEdge('<b> & "', END).compile();`;

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject({ 'odd-names': ODD_NAMES });
});
afterAll(() => project.close());

interface Drawn {
  nodes: { id: string; kind: string; agent?: string }[];
  edges: { source: string; target: string; conditional: boolean }[];
}

const idsOf = ({ nodes }: Drawn) =>
  nodes.filter(({ kind }) => kind !== 'start' && kind !== 'end').map(({ id }) => id);

test.each(PROGRAMS.map((program) => [program.name, program] as const))(
  '%s is drawn',
  async (name, program) => {
    const { service } = project;
    const closed: Drawn = await got(service, `/workflows/${name}/graph`);
    expect(idsOf(closed).sort()).toEqual(program.drawn.toSorted());
    const { drawn, inside = [] } = program;
    const open: Drawn = await got(service, `/workflows/${name}/graph?xray=true`);
    const outer = drawn.filter((node) => !inside.some((id) => id.startsWith(`${node}:`)));
    expect(idsOf(open).sort()).toEqual([...outer, ...inside].sort());
    for (const { nodes, edges } of [closed, open]) {
      const ids = nodes.map(({ id }) => id);
      expect(edges.filter(({ source, target }) => !ids.includes(source) || !ids.includes(target))).toEqual(
        [],
      );
      const reached = new Set(['__start__', ...edges.map(({ target }) => target)]);
      expect(ids.filter((id) => !reached.has(id))).toEqual([]);
    }
    for (const format of ['mermaid', 'svg']) {
      const response = await service.fetch(`/api/v1/workflows/${name}/graph?format=${format}&xray=true`);
      expect(response.status).toBe(200);
      const text = await response.text();
      for (const node of outer) expect(text).toContain(node);
    }
  },
);

test('nodes with any name are drawn', async () => {
  const response = await project.service.fetch('/api/v1/workflows/odd-names/graph?format=svg');
  expect(response.status).toBe(200);
  const svg = await response.text();
  expect(xmlProblem(svg)).toBeUndefined();
  expect(svg).not.toContain('\u0000');
  expect(svg.match(/class="agent"/g)).toHaveLength(3);
});
