/** The diagram in docs/architecture.md shows the actual floors, folders and imports. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FLOORS, IMPORTS, ROOT } from '../support/imports.ts';
import { blocksOf } from './pages.ts';

const blocks = await blocksOf('docs/architecture.md');
const picture = blocks.find(({ code }) => code.includes('state["<b>state</b>'))?.code ?? '';

/** `server["<b>server</b><br>chat · threads"]`. */
const boxes = Array.from(
  picture.matchAll(/^ *(\w+)\["<b>\w+<\/b>(.*)"\]$/gm),
  ([, floor = '', rooms = '']) => ({
    floor,
    rooms: rooms.split(/<br>| · /).filter((room) => room !== ''),
  }),
);

test('every floor is a box, and every box is a floor', () => {
  expect(boxes.map(({ floor }) => floor).toSorted()).toEqual(FLOORS.toSorted());
});

test('a box names folders of its floor', () => {
  const named = boxes.flatMap(({ floor, rooms }) => rooms.map((room) => `${floor}/${room}`));
  const isProse = (room: string) => room.includes(' ');
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((room) => !isProse(room) && !existsSync(join(ROOT, room)))).toEqual([]);
});

test('the arrows are the imports between floors, without transitive ones', () => {
  const arrows = Array.from(picture.matchAll(/^ *(\w+) --> (.+)$/gm), ([, from = '', to = '']) =>
    to.split(' & ').map((one) => `${from} --> ${one}`),
  );
  expect(arrows.flat().toSorted()).toEqual(reduced(importedFloors()).toSorted());
});

function importedFloors(): Map<string, Set<string>> {
  const floors = new Map(FLOORS.map((floor) => [floor, new Set<string>()]));
  const nameOf = (file: string) => file.split('/')[0] ?? '';
  for (const [file, targets] of IMPORTS)
    for (const target of targets)
      if (nameOf(target) !== nameOf(file) && floors.has(nameOf(target)))
        floors.get(nameOf(file))?.add(nameOf(target));
  return floors;
}

/** Leaves out an import that also leads through another floor. */
function reduced(floors: Map<string, Set<string>>): string[] {
  const reached = (from: string): Set<string> => {
    const direct = [...(floors.get(from) ?? [])];
    return new Set([...direct, ...direct.flatMap((one) => [...reached(one)])]);
  };
  return [...floors].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reached(other).has(to)))
      .map((to) => `${from} --> ${to}`),
  );
}
