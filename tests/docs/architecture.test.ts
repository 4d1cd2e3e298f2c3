/** The diagram in docs/architecture.md shows the actual layers, folders and imports. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IMPORTS, LAYERS, ROOT } from '../support/imports.ts';
import { blocksOf } from './pages.ts';

const blocks = await blocksOf('docs/architecture.md');
const picture = blocks.find(({ code }) => code.includes('state["<b>state</b>'))?.code ?? '';

/** `server["<b>server</b><br>chat · threads"]`. */
const boxes = Array.from(
  picture.matchAll(/^ *(\w+)\["<b>\w+<\/b>(.*)"\]$/gm),
  ([, layer = '', folders = '']) => ({
    layer,
    folders: folders.split(/<br>| · /).filter((folder) => folder !== ''),
  }),
);

test('every layer is a box, and every box is a layer', () => {
  expect(boxes.map(({ layer }) => layer).toSorted()).toEqual(LAYERS.toSorted());
});

test('a box only names folders of its layer', () => {
  const named = boxes.flatMap(({ layer, folders }) => folders.map((folder) => `${layer}/${folder}`));
  const isProse = (folder: string) => folder.includes(' ');
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((folder) => !isProse(folder) && !existsSync(join(ROOT, folder)))).toEqual([]);
});

test('the arrows are the imports between layers, without transitive ones', () => {
  const arrows = Array.from(picture.matchAll(/^ *(\w+) --> (.+)$/gm), ([, from = '', to = '']) =>
    to.split(' & ').map((one) => `${from} --> ${one}`),
  );
  expect(arrows.flat().toSorted()).toEqual(reduced(importedLayers()).toSorted());
});

function importedLayers(): Map<string, Set<string>> {
  const layers = new Map(LAYERS.map((layer) => [layer, new Set<string>()]));
  const nameOf = (file: string) => file.split('/')[0] ?? '';
  for (const [file, targets] of IMPORTS)
    for (const target of targets)
      if (nameOf(target) !== nameOf(file) && layers.has(nameOf(target)))
        layers.get(nameOf(file))?.add(nameOf(target));
  return layers;
}

/** Leaves out imports that another layer already implies. */
function reduced(layers: Map<string, Set<string>>): string[] {
  const reached = (from: string): Set<string> => {
    const direct = [...(layers.get(from) ?? [])];
    return new Set([...direct, ...direct.flatMap((one) => [...reached(one)])]);
  };
  return [...layers].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reached(other).has(to)))
      .map((to) => `${from} --> ${to}`),
  );
}
