/** The flags of `serve` that are settings. */
import { configurationError, type SkeinError } from '../state/errors.ts';
import { nearest } from '../state/schema/nearest.ts';

/** What each flag sets; `config` and `profiles` name files, the others are dotted paths of settings. */
export const FLAG_PATHS = {
  '--port': 'web_configuration.port',
  '--host': 'web_configuration.host',
  '--config': 'config',
  '--profiles': 'profiles',
  '--profile': 'profile',
  '--log-level': 'telemetry.log_level',
  '--log-format': 'telemetry.log_format',
} as const;

type FlagName = keyof typeof FLAG_PATHS;

/** The text given for each path. */
export type Flags = Partial<Record<(typeof FLAG_PATHS)[FlagName], string>>;

/** Reads `--port 8080` and `--port=8080`, the last of a repeated flag winning; errors name the flag, not its value. */
export function parseFlags(argv: readonly string[]): Flags {
  const flags: Flags = {};
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [name = '', ...inline] = argument.split('=');
    if (!isFlag(name)) throw unknownFlag(name, Object.keys(FLAG_PATHS));
    const value = argument.includes('=') ? inline.join('=') : takeValue(rest);
    if (!value) throw configurationError(name, `expected a value, as in ${name} ${EXAMPLES[name]}`);
    flags[FLAG_PATHS[name]] = value;
  }
  return flags;
}

const EXAMPLES: Record<FlagName, string> = {
  '--port': '8080',
  '--host': '127.0.0.1',
  '--config': 'config.yml',
  '--profiles': 'profiles.yml',
  '--profile': 'dev',
  '--log-level': 'debug',
  '--log-format': 'pretty',
};

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAG_PATHS, name);
}

/** What begins with `--` is the next flag, so that `--port --host x` is not read as a port. */
function takeValue(rest: string[]): string | undefined {
  return rest[0]?.startsWith('--') ? undefined : rest.shift();
}

export function unknownFlag(name: string, known: readonly string[]): SkeinError {
  if (!name.startsWith('-'))
    return configurationError('arguments', `expected only flags: ${known.join(', ')}`);
  const meant = nearest(name, known);
  const hint = meant
    ? `did you mean '${meant}'?`
    : known.length === 0
      ? 'it takes none'
      : `the known ones are ${known.join(', ')}`;
  return configurationError(name, `unknown flag, ${hint}`);
}
