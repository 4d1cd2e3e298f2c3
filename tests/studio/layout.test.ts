/** The layout of a graph in the studio. */
import { expect, test } from 'bun:test';
import { layoutGraph } from '../../studio/graph/layout/layout.ts';

test('nodes with any name get a position', () => {
  const ids = ['__start__', '', '\u0000', 'group ', '__end__'];
  const nodes = ids.map((id) => ({ id, label: id, kind: 'node' as const }));
  const edges = ids
    .slice(1)
    .map((target, index) => ({ source: ids[index] ?? '', target, conditional: false }));
  const positions = layoutGraph({ nodes, edges }, { width: 400, height: 400 });
  expect([...positions.nodes.keys()]).toEqual(ids);
  const places = [...positions.nodes.values()].map(({ x, y }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(ids.length);
});
