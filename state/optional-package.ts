/** Packages that only some settings need: they are not installed with skein, and imported at first use. */
import skein from '../package.json';
import { configurationError } from './errors.ts';

export interface Need {
  /** The setting that asks for the package. */
  field: string;
  /** What of it does, as the subject of a sentence. */
  who: string;
}

/** Throws CONFIGURATION_ERROR, saying what to install, where the package is missing. `Module`: as much of it as is used. */
export async function importOptional<Module>(
  name: keyof typeof skein.peerDependenciesMeta,
  { field, who }: Need,
): Promise<Module> {
  try {
    // By a variable, so that neither the compiler nor a bundler looks for what need not be there.
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
