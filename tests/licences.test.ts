/** Licences of all packages of a production installation: only those that permit use, changes and sale of a service. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dir, '..');

const ALLOWED = new Set(
  'MIT MIT-0 ISC BSD-2-Clause BSD-3-Clause Apache-2.0 0BSD BlueOak-1.0.0 Unlicense CC0-1.0 Zlib Python-2.0'.split(
    ' ',
  ),
);
/** Packages under other licences, or without one in package.json, with the reason why they are allowed. */
const EXCEPTIONS: Record<string, string> = {
  duck: "'BSD' in package.json; its licence is the two-clause one",
};

interface Package {
  name: string;
  version: string;
  license?: string | { type?: string };
  licenses?: { type?: string }[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const read = (folder: string): Package => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The folder of a package as resolved from `from`; undefined for an optional package that is not installed. */
function folderOf(name: string, from: string): string | undefined {
  for (let at = from; at.startsWith(ROOT); at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}

/** Every direct and transitive dependency of the project and the studio, by folder. */
function production(): Map<string, Package> {
  const found = new Map<string, Package>();
  const add = (folder: string): void => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = read(folder);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      // A project that needs an optional peer installs it itself.
      if (peerDependenciesMeta[name]?.optional) continue;
      const at = folderOf(name, folder);
      if (at === undefined || found.has(at)) continue;
      found.set(at, read(at));
      add(at);
    }
  };
  add(ROOT);
  add(join(ROOT, 'studio'));
  return found;
}

function licenceOf({ license, licenses }: Package): string {
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none';
}

/** `(MIT OR Apache-2.0)` is allowed if one of them is, and with AND if all are. */
function isAllowed(expression: string): boolean {
  const alternatives = expression.replaceAll(/[()]/g, '').split(/ OR /i);
  return alternatives.some((all) => all.split(/ AND /i).every((one) => ALLOWED.has(one.trim())));
}

const packages = [...production().values()];

test('every package in production has an allowed licence', () => {
  expect(packages.length).toBeGreaterThan(100);
  const others = packages.filter((one) => !isAllowed(licenceOf(one)) && !(one.name in EXCEPTIONS));
  expect(others.map((one) => `${one.name} ${one.version}: ${licenceOf(one)}`)).toEqual([]);
});

test('every exception is still needed', () => {
  const needed = packages.filter((one) => !isAllowed(licenceOf(one))).map(({ name }) => name);
  expect(Object.keys(EXCEPTIONS).filter((name) => !needed.includes(name))).toEqual([]);
});
