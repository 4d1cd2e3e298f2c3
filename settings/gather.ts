/** Merges the layers in order: config.yml, the chosen profile, the environment, the flags. */
import { basename, dirname } from 'node:path';
import { configurationError } from '../state/errors.ts';
import type { Problem } from '../state/schema/check-options.ts';
import { convertText } from '../state/schema/convert-text.ts';
import { isMapping } from '../state/schema/walk-schema.ts';
import { type Assignment, assign } from './assign.ts';
import {
  databaseAssignments,
  environmentAssignments,
  sqlAssignments,
  storageAssignments,
} from './environment/environment.ts';
import type { Variables } from './environment/variables.ts';
import { type Found, type Inputs, readYaml } from './files/files.ts';
import { chooseProfile, type WantedProfile } from './files/profiles.ts';
import { substitute } from './files/substitute.ts';
import { FLAG_PATHS } from './flags.ts';
import { joinModels } from './models.ts';
import { Settings } from './schema.ts';
import { type Mapping, mapping, merge, type Origin, sourced, withField } from './sourced.ts';

interface Layer {
  root: Mapping;
  problems: Problem[];
  /** The variables that the files refer to. */
  references: ReadonlySet<string>;
}

/** All settings from all layers. At this point, only the structure of the files has been checked. */
export function gather({ files, variables }: Found, inputs: Inputs): Layer {
  const config = configLayer(files.config, variables);
  const profile = chooseProfile(files.profiles, wantedProfile(config.root, { variables, inputs }));
  const origin = profileOrigin(files.profiles, profile?.name);
  const chosen = fileLayer(profile?.blocks ?? {}, { origin, variables });
  const named = merge(sourced({ profile: profile?.name }, origin), config.root);
  const environment = [...environmentAssignments(variables), ...flagAssignments(inputs)];
  const root = environment.reduce(
    (below, assignment) => withPublicNames(assign(below, assignment)),
    overlay(mapping(named), chosen.root),
  );
  return {
    root: [
      ...sqlAssignments(root, variables),
      ...databaseAssignments(root, variables),
      ...storageAssignments(root, variables),
    ].reduce(assign, root),
    problems: [...config.problems, ...chosen.problems],
    references: config.references.union(chosen.references),
  };
}

function configLayer(path: string | null, variables: Variables): Layer {
  if (path === null) return { root: mapping(undefined), problems: [], references: new Set() };
  const file = basename(path);
  const value = readYaml(path) ?? {};
  if (!isMapping(value))
    throw configurationError(file, 'expected a mapping of blocks at the top of the file');
  return fileLayer(value, { origin: { source: file, folder: dirname(path) }, variables });
}

function fileLayer(value: unknown, { origin, variables }: { origin: Origin; variables: Variables }): Layer {
  const substituted = substitute(value, variables);
  const root = mapping(sourced(convertText(Settings, substituted.value), origin));
  const problems = substituted.problems.map(({ path, reason }) => ({
    path,
    reason: `${reason} (${origin.source})`,
  }));
  return { root: withPublicNames(root), problems, references: substituted.references };
}

/** Workflow names may also be written with underscores. */
function withPublicNames(root: Mapping): Mapping {
  const workflows = root.fields.get('workflows');
  if (workflows?.kind !== 'mapping') return root;
  const renamed = [...workflows.fields].map(([name, field]) =>
    withField(mapping(undefined, workflows.origin), name.toLowerCase().replaceAll('_', '-'), field),
  );
  return withField(root, 'workflows', renamed.reduce(merge, mapping(undefined, workflows.origin)));
}

function overlay(below: Mapping, above: Mapping): Mapping {
  const models = above.fields.get('models');
  const merged = mapping(merge(below, above));
  return models ? withField(merged, 'models', joinModels(below.fields.get('models'), models)) : merged;
}

function profileOrigin(path: string | null, name: string | undefined): Origin {
  if (path === null) return { source: 'default', folder: '' };
  return { source: `profile ${name} in ${basename(path)}`, folder: dirname(path) };
}

interface Chooser {
  variables: Variables;
  inputs: Inputs;
}

function wantedProfile(config: Mapping, { variables, inputs }: Chooser): WantedProfile | undefined {
  const variable = variables.get('SERVICE_PROFILE');
  const field = config.fields.get('profile');
  if (inputs.flags.profile) return { name: inputs.flags.profile, source: 'flag --profile' };
  if (variable) return { name: variable.text, source: variable.origin.source };
  if (field?.kind !== 'leaf' || typeof field.value !== 'string') return undefined;
  return { name: field.value, source: field.origin.source };
}

function flagAssignments({ flags, cwd }: Inputs): Assignment[] {
  return Object.entries(FLAG_PATHS).flatMap(([flag, path]) => {
    const text = flags[path];
    if (text === undefined || path === 'config' || path === 'profiles') return [];
    return [{ keys: path.split('.'), text, origin: { source: `flag ${flag}`, folder: cwd } }];
  });
}
