/** Every setting is read by some code. Reads are found by type, so another option with the same name doesn't count. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TSchema, Type } from '@sinclair/typebox';
import {
  isBindingElement,
  isElementAccessExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
} from 'typescript/unstable/ast';
import { API, type NodeHandle, type Project, type Type as StaticType } from 'typescript/unstable/async';
import { WorkflowSettings } from '../../graphs/authoring/workflow-settings.ts';
import { discover } from '../../graphs/discovery/discover.ts';
import { CORE_WORKFLOWS } from '../../runtime/workflows/discovery.ts';
import { Settings } from '../../settings/schema.ts';

// The compiler reads the whole project.
setDefaultTimeout(180_000);

const ROOT = join(import.meta.dir, '../..');

/** An option that no code reads, in a block of options that are read, with a name that other options have. */
const PLANTED = { file: join(ROOT, 'runtime/options.ts'), before: 'run_seconds: seconds(', name: 'prefix' };
const planted = { [PLANTED.name]: Type.String() };
const { limits } = Settings.properties;
const WITH_PLANTED = {
  ...Settings,
  properties: {
    ...Settings.properties,
    limits: { ...limits, properties: { ...limits.properties, ...planted } },
  },
};

let api: API;
let compiled: Project;
beforeAll(async () => {
  api = new API({ cwd: ROOT, fs: { readFile } });
  const snapshot = await api.updateSnapshot({ openProjects: [join(ROOT, 'tsconfig.json')] });
  const [opened] = snapshot.getProjects();
  if (!opened) throw new Error('the project cannot be opened');
  compiled = opened;
});
afterAll(() => api.close());

function readFile(file: string): string | undefined {
  if (file !== PLANTED.file) return undefined;
  return readFileSync(file, 'utf8').replace(PLANTED.before, `${PLANTED.name}: Type.String(),\n$&`);
}

test("every option is read, and an added option that isn't read is found", async () => {
  const found = await unread(WITH_PLANTED, { file: 'settings/schema.ts', name: 'Settings' });
  expect(found).toEqual([`limits.${PLANTED.name}`]);
});

test('every option of workflows is read', async () => {
  const common = { file: 'graphs/authoring/workflow-settings.ts', name: 'WorkflowSettings' };
  expect(await unread(WorkflowSettings, common)).toEqual([]);
  for (const { name, definition } of await discover(CORE_WORKFLOWS, 'core')) {
    const { options } = definition ?? {};
    if (!options) continue;
    const file = `graphs/${name}/state.ts`;
    const exported = Object.entries(await import(join(ROOT, file))).find(([, value]) => value === options);
    expect(await unread(options, { file, name: exported?.[0] ?? '' })).toEqual([]);
  }
});

/** The dotted paths of the options that no code reads. For an unread block, only the block's path. */
async function unread(schema: TSchema, { file, name }: { file: string; name: string }): Promise<string[]> {
  const path = join(ROOT, file);
  const source = await compiled.program.getSourceFile(path);
  const declared = `export const ${name} = `;
  const at = source?.text.indexOf(declared) ?? -1;
  if (at < 0) throw new Error(`${file} does not declare '${name}'`);
  const symbol = await compiled.checker.getSymbolAtPosition(path, at + 'export const '.length);
  const type = symbol && (await compiled.checker.getTypeOfSymbol(symbol));
  if (!type) throw new Error(`'${name}' has no type`);
  return unreadOf(schema, type, '');
}

/** Traverses a schema and its TypeScript type in parallel. */
async function unreadOf(schema: TSchema, type: StaticType, path: string): Promise<string[]> {
  if (schema.type === 'array') return unreadOf(schema.items, await typeIn(type, 'items'), `${path}[]`);
  if (!schema.properties) return [];
  const properties = await typeIn(type, 'properties');
  const found: string[] = [];
  for (const [key, child] of Object.entries<TSchema>(schema.properties)) {
    const at = path === '' ? key : `${path}.${key}`;
    const option = await compiled.checker.getPropertyOfType(properties, key);
    const [declaration] = option?.declarations ?? [];
    if (!option || !declaration) throw new Error(`'${at}' is not declared`);
    const below = await compiled.checker.getTypeOfSymbol(option);
    if (!(await isRead(declaration, at))) found.push(at);
    else if (below) found.push(...(await unreadOf(child, below, at)));
  }
  return found;
}

async function typeIn(type: StaticType, property: string): Promise<StaticType> {
  const symbol = await compiled.checker.getPropertyOfType(type, property);
  const found = symbol && (await compiled.checker.getTypeOfSymbol(symbol));
  if (!found) throw new Error(`the schema's type has no '${property}'`);
  return found;
}

async function isRead(declaration: NodeHandle, option: string): Promise<boolean> {
  const node = await declaration.resolve();
  if (!node || !(isPropertyAssignment(node) || isShorthandPropertyAssignment(node))) {
    throw new Error(`'${option}' is not declared as a property`);
  }
  const entries = await compiled.checker.getReferencedSymbolsForNode(node.name, node.name.end - 1);
  const references = entries.flatMap((entry) => entry.references).filter(({ path }) => counts(path));
  for (const reference of references) if (await isReading(reference)) return true;
  // Options that control loading are read before the settings have their type.
  return LOADING.has(option);
}

/** Code that only validates an option, warns of it, prints it or stores it doesn't count as a read. */
function counts(path: string): boolean {
  const file = path.slice(ROOT.length + 1);
  return (
    /^(state|prompts|tools|graphs|runtime|server|cli)\//.test(file) &&
    !/^cli\/(service\/(warnings|state-file|temporary-folder)\.ts|commands\/(validate|init)\/)/.test(file)
  );
}

async function isReading(reference: NodeHandle): Promise<boolean> {
  const node = await reference.resolve();
  const parent = node?.parent;
  if (!node || !parent) return false;
  if (isPropertyAccessExpression(parent)) return parent.name === node;
  if (isElementAccessExpression(parent)) return parent.argumentExpression === node;
  return isBindingElement(parent) && (parent.propertyName ?? parent.name) === node;
}

const LOADING = new Set(
  Array.from(
    readFileSync(join(ROOT, 'settings/gather.ts'), 'utf8').matchAll(/config\.fields\.get\('(\w+)'\)/g),
    ([, key]) => key,
  ),
);
