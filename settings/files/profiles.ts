/** Picks one profile from profiles.yml. */
import { basename } from 'node:path';
import { configurationError } from '../../state/errors.ts';
import { isMapping } from '../../state/schema/walk-schema.ts';
import { readYaml } from './files.ts';

export interface Profile {
  name: string;
  blocks: Record<string, unknown>;
}

export interface WantedProfile {
  name: string;
  /** The source of the name, for errors. */
  source: string;
}

/** The requested profile, or by default the first one; undefined if none exists and none is requested. */
export function chooseProfile(file: string | null, wanted: WantedProfile | undefined): Profile | undefined {
  const profiles = file === null ? [] : readProfiles(file);
  if (!wanted) return profiles[0];
  const chosen = profiles.find(({ name }) => name === wanted.name);
  if (chosen) return chosen;
  const names = profiles.map(({ name }) => name).join(', ') || 'none';
  const where = file === null ? 'profiles.yml does not exist' : `${basename(file)} has ${names}`;
  throw configurationError('profile', `profile not found; ${where} (${wanted.source})`);
}

function readProfiles(path: string): Profile[] {
  const file = basename(path);
  const list = readYaml(path) ?? [];
  if (!Array.isArray(list)) throw configurationError(file, 'expected a list of profiles, each with a name');
  return list.map((entry: unknown, index) => {
    if (!isMapping(entry))
      throw configurationError(`profiles[${index}]`, `expected a mapping of blocks (${file})`);
    const { name, ...blocks } = entry;
    if (typeof name !== 'string' || name === '') {
      throw configurationError(`profiles[${index}].name`, `expected a non-empty text (${file})`);
    }
    if ('profile' in blocks) throw configurationError(`profiles[${index}].profile`, `unknown key (${file})`);
    return { name, blocks };
  });
}
