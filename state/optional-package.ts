/** Packages that only some settings need. They are not installed with Skein, and are imported at first use. */
import skein from '../package.json';
import { configurationError } from './errors.ts';

export interface Need {
  /** The setting that asks for the package. */
  field: string;
  /** The feature that needs it, as the subject of a sentence. */
  who: string;
}

/**
 * Imports the package. Throws CONFIGURATION_ERROR with the installation command if it is missing. `Module`: the type of the
 * exports that are used.
 */
export async function importOptional<Module>(
  name: keyof typeof skein.peerDependenciesMeta,
  { field, who }: Need,
): Promise<Module> {
  try {
    // A literal would be resolved by the compiler and by bundlers, which fails if the package is missing.
    return await import(name as string);
  } catch (cause) {
    const version = skein.peerDependencies[name].replace('^', '');
    const error = configurationError(
      field,
      `${who} needs the package ${name}: run "bun add ${name}@${version}"`,
    );
    error.cause = cause;
    throw error;
  }
}
