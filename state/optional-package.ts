/** Packages that only some settings need: they are not installed with skein, and imported at first use. */
import skein from '../package.json';
import { configurationError } from './errors.ts';

export interface Need {
  /** The setting that asks for the package. */
  field: string;
  /** The feature that needs it, as the subject of a sentence. */
  who: string;
}

/** Throws CONFIGURATION_ERROR that names what to install, if the package is missing. `Module`: the part of it that is used. */
export async function importOptional<Module>(
  name: keyof typeof skein.peerDependenciesMeta,
  { field, who }: Need,
): Promise<Module> {
  try {
    // Imported by a variable, so that neither the compiler nor a bundler resolves an optional package.
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
