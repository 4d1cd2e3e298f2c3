/** The JSON and YAML of the documents can be parsed, and settings in YAML exist. */
import { expect, test } from 'bun:test';
import { Settings } from '../../settings/schema.ts';
import { childSchema } from '../../state/schema/walk-schema.ts';
import { type Block, blocksOf, PAGES } from './pages.ts';

const blocks = (await Promise.all(PAGES.map(blocksOf))).flat();
const ofLanguage = (...languages: string[]) =>
  blocks.filter(({ language, info }) => languages.includes(language) && info !== 'fragment');
const locationOf = ({ page, line }: Block) => `${page}:${line}`;

test('the documents have JSON and YAML', () => {
  expect(ofLanguage('json').length).toBeGreaterThan(3);
  expect(ofLanguage('yaml', 'yml').length).toBeGreaterThan(10);
});

test('all JSON is valid', () => {
  expect(ofLanguage('json').flatMap((block) => problemOf(block, JSON.parse))).toEqual([]);
});

test('all YAML is valid', () => {
  expect(ofLanguage('yaml', 'yml').flatMap((block) => problemOf(block, Bun.YAML.parse))).toEqual([]);
});

test('YAML that looks like settings names existing settings', () => {
  const unknown: string[] = [];
  let checked = 0;
  for (const block of ofLanguage('yaml', 'yml')) {
    const parsed: unknown = Bun.YAML.parse(block.code);
    for (const profile of Array.isArray(parsed) ? parsed : [parsed]) {
      if (!isMapping(profile) || !Object.keys(profile).some((key) => Object.hasOwn(Settings.properties, key)))
        continue;
      checked++;
      const { name: _, ...settings } = profile;
      unknown.push(...unknownIn(settings).map((path) => `${locationOf(block)} ${path}`));
    }
  }
  expect(checked).toBeGreaterThan(5);
  expect(unknown).toEqual([]);
});

test('an unknown setting is found', () => {
  expect(unknownIn({ memory: { window_message: 20 } })).toEqual(['memory.window_message']);
  expect(unknownIn({ memory: { window_messages: 20 } })).toEqual([]);
});

function problemOf(block: Block, parse: (text: string) => unknown): string[] {
  try {
    parse(block.code);
    return [];
  } catch (error) {
    return [`${locationOf(block)} ${String(error)}`];
  }
}

/** The settings of workflows are not in the schema. */
function unknownIn(settings: Record<string, unknown>): string[] {
  return Object.entries(settings).flatMap(([block, value]) =>
    block === 'workflows' ? [] : unknownBelow(childSchema(Settings, block), value, block),
  );
}

function unknownBelow(schema: ReturnType<typeof childSchema>, value: unknown, path: string): string[] {
  if (schema === undefined) return [path];
  if (Array.isArray(value))
    return value.flatMap((one, index) => unknownBelow(childSchema(schema, index), one, `${path}[${index}]`));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    unknownBelow(childSchema(schema, key), one, `${path}.${key}`),
  );
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
