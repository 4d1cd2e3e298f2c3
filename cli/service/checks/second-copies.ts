/** Finds second copies of LangGraph: an instance of one copy is not an instance of the other copy's class. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import skein from '../../../package.json';

export interface SecondCopies {
  /** A sentence for each copy that the project has to fix. */
  warnings: string[];
  /** A sentence for each copy that exists because project and service are two installations. */
  notes: string[];
}

const NAMES = ['@langchain/core', '@langchain/langgraph'] as const;

type Name = (typeof NAMES)[number];

interface Copy {
  folder: string;
  version: string;
}

const SERVICE = realpathSync(join(import.meta.dir, '..', '..', '..'));

/** Of what this process has loaded, so call it after the workflows are loaded. */
export function secondCopies(projectFolder: string): SecondCopies {
  const project = realpathSync(projectFolder);
  const found: SecondCopies = { warnings: [], notes: [] };
  const modules = Object.keys(require.cache);
  for (const name of NAMES) {
    const own = copyIn(packageFolder(name, SERVICE));
    if (!own) continue;
    if (!fits(name, own)) found.warnings.push(unfit(name, own));
    for (const other of copiesAmong(modules, name)) {
      if (other.folder === own.folder) continue;
      if (isExpected(name, other, project)) found.notes.push(note({ name, own, other }));
      else found.warnings.push(warning({ name, own, other }, project));
    }
  }
  return found;
}

function copiesAmong(modules: readonly string[], name: Name): Copy[] {
  const part = ['', 'node_modules', ...name.split('/'), ''].join(sep);
  const folders = modules.flatMap((path) => {
    const at = path.lastIndexOf(part);
    return at < 0 ? [] : [path.slice(0, at + part.length - 1)];
  });
  return [...new Set(folders)].flatMap((folder) => copyIn(folder) ?? []);
}

/** A project that another installation of skein serves has its own LangGraph as well. */
function isExpected(name: Name, copy: Copy, project: string): boolean {
  const isServedByAnother = packageFolder(skein.name, project) !== SERVICE;
  return isServedByAnother && packageFolder(name, project) === copy.folder && fits(name, copy);
}

function fits(name: Name, { version }: Copy): boolean {
  return Bun.semver.satisfies(version, skein.peerDependencies[name]);
}

interface Pair {
  name: Name;
  own: Copy;
  other: Copy;
}

function note({ name, own, other }: Pair): string {
  return `The project has its own copy of ${name}, ${other.version} in ${other.folder}, and the service ${own.version} in ${own.folder}. Workflows run as usual; only an instanceof across the two copies fails.`;
}

function warning({ name, own, other }: Pair, project: string): string {
  const at = (folder: string) => within(project, folder);
  const importer = importerOf(name, other, project);
  const through = importer === undefined || importer === project ? '' : `, through ${at(importer)}`;
  const todo =
    through === '' ? `Change the project's package.json` : `Change the version of ${nameIn(importer)}`;
  return `A second copy of ${name} is loaded: ${other.version} in ${at(other.folder)}${through}. The service has ${own.version} in ${at(own.folder)}. Types and instanceof fail across the two. ${todo} so that both use one copy in ${skein.peerDependencies[name]}.`;
}

function unfit(name: Name, { folder, version }: Copy): string {
  const tested = skein.devDependencies[name];
  return `${name} is ${version} in ${folder}, but skein ${skein.version} needs ${skein.peerDependencies[name]}: run "bun add --exact ${name}@${tested}".`;
}

/** The package that imports this copy: the nearest one to the project's own package.json. */
function importerOf(name: Name, copy: Copy, project: string): string | undefined {
  const folders = new Set([project]);
  // The list grows while it is read.
  for (const folder of folders) {
    const dependencies = dependenciesOf(folder);
    const imports = folder === project || dependencies.includes(name);
    if (imports && packageFolder(name, folder) === copy.folder) return folder;
    for (const dependency of dependencies) {
      const next = packageFolder(dependency, folder);
      if (next !== undefined) folders.add(next);
    }
  }
  return undefined;
}

function dependenciesOf(folder: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = manifestOf(folder);
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
}

/** The folder that an import from a file in `from` resolves to, with links resolved, as for loaded modules. */
function packageFolder(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

function copyIn(folder: string | undefined): Copy | undefined {
  const version = folder === undefined ? undefined : manifestOf(folder).version;
  return folder === undefined || version === undefined ? undefined : { folder, version };
}

function nameIn(folder: string | undefined): string {
  return (folder && manifestOf(folder).name) ?? 'the package';
}

interface Manifest {
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Empty if it does not exist or cannot be read. */
function manifestOf(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return {};
  }
}

function within(project: string, folder: string): string {
  const path = relative(project, folder);
  return path.startsWith('..') || isAbsolute(path) ? folder : path;
}
