/** Adds what a service needs to a project's package.json, and changes none of its entries. */
import { configurationError } from '../../../state/errors.ts';

type Group = Record<string, string>;
type Package = Record<string, unknown>;

export interface Completed {
  text: string;
  /** What was added, such as `scripts.start`. */
  added: string[];
}

const GROUPS = ['scripts', 'dependencies', 'devDependencies', 'overrides'] as const;
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/** `wanted` is the package.json of a new project. Throws CONFIGURATION_ERROR if the existing one is not a JSON object. */
export function completedPackage(text: string, wanted: string): Completed {
  const own = packageIn(text);
  const ours = packageIn(wanted);
  const added: string[] = [];
  for (const group of GROUPS) {
    const before = groupOf(own, group);
    const missing = Object.entries(groupOf(ours, group)).filter(([name]) => !isThere(own, group, name));
    if (missing.length === 0) continue;
    own[group] = { ...before, ...Object.fromEntries(missing) };
    added.push(...missing.map(([name]) => `${group}.${name}`));
  }
  if (added.length === 0) return { text, added };
  const [, indent = '  '] = /^([ \t]+)"/m.exec(text) ?? [];
  return { text: `${JSON.stringify(own, null, indent)}\n`, added };
}

/** The scripts whose commands are those of a new project. */
export function ownScripts(text: string, wanted: string): Set<string> {
  const [own, ours] = [packageIn(text), packageIn(wanted)].map((one) => groupOf(one, 'scripts'));
  return new Set(Object.keys(ours ?? {}).filter((name) => own?.[name] === ours?.[name]));
}

/** The dependency may be in another list. */
function isThere(own: Package, group: (typeof GROUPS)[number], name: string): boolean {
  const groups = DEPENDENCIES.includes(group) ? DEPENDENCIES : [group];
  return groups.some((each) => Object.hasOwn(groupOf(own, each), name));
}

function groupOf(own: Package, name: string): Group {
  const group = own[name] ?? {};
  if (typeof group !== 'object' || Array.isArray(group))
    throw configurationError(`package.json ${name}`, 'expected an object');
  return group as Group;
}

function packageIn(text: string): Package {
  const reason = 'expected a JSON object; repair it, then run skein init again';
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw configurationError('package.json', reason);
}
