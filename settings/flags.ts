/** Parses command lines, and maps flags to settings. */
import { parseArgs } from 'node:util';
import { configurationError, type SkeinError } from '../state/errors.ts';
import { nearest } from '../state/schema/nearest.ts';

/** The setting of each flag: `config` and `profiles` name files, and the others are dotted paths of settings. */
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

/** The text that was given for each path. */
export type Flags = Partial<Record<(typeof FLAG_PATHS)[FlagName], string>>;

export interface Flag {
  name: string;
  /** An example of its value, if it takes one. */
  takes?: string;
}

interface Arguments {
  /** The value is empty for flags that take none. */
  given: Map<string, string>;
  words: string[];
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

export const SETTINGS_FLAGS: readonly Flag[] = Object.entries(EXAMPLES).map(([name, takes]) => ({
  name,
  takes,
}));

/** Parses a command line that contains only flags of settings. Throws CONFIGURATION_ERROR. */
export function parseFlags(argv: readonly string[]): Flags {
  const { given, words } = readArguments(argv, SETTINGS_FLAGS);
  if (words.length > 0)
    throw configurationError('arguments', `expected only flags: ${Object.keys(FLAG_PATHS).join(', ')}`);
  const flags: Flags = {};
  for (const [name, value] of given) if (isFlag(name)) flags[FLAG_PATHS[name]] = value;
  return flags;
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAG_PATHS, name);
}

const TEXT = { type: 'string' } as const;
const SWITCH = { type: 'boolean' } as const;

/**
 * Reads `--port 8080`, `--port=8080` and words; everything after `--` is a word. If a flag is repeated, the last value counts.
 * Throws CONFIGURATION_ERROR, which names the flag but not its value.
 */
export function readArguments(argv: readonly string[], flags: readonly Flag[]): Arguments {
  const options = Object.fromEntries(flags.map(({ name, takes }) => [name.slice(2), takes ? TEXT : SWITCH]));
  // Not strict, because the errors of `parseArgs` repeat the values and don't suggest a flag.
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const read: Arguments = { given: new Map(), words: [] };
  for (const token of tokens) {
    if (token.kind === 'positional') read.words.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = flags.find(({ name }) => name === token.rawName);
    if (!flag) throw unknownFlag(argv[token.index] ?? '', flags);
    read.given.set(flag.name, valueGiven(flag, token));
  }
  return read;
}

/** Text that begins with `--` is the next flag, so `--host` in `--port --host x` is not read as a port. */
function valueGiven({ name, takes }: Flag, { value, inlineValue }: Given): string {
  if (takes === undefined) {
    if (value !== undefined) throw configurationError(name, 'takes no value');
    return '';
  }
  if (!value || (!inlineValue && value.startsWith('--')))
    throw configurationError(name, `expected a value, as in ${name} ${takes}`);
  return value;
}

interface Given {
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function unknownFlag(argument: string, flags: readonly Flag[]): SkeinError {
  const [name = ''] = argument.split('=');
  const known = flags.map((each) => each.name);
  const meant = nearest(name, known);
  const hint = meant
    ? `did you mean '${meant}'?`
    : known.length === 0
      ? 'the command has no flags'
      : `known flags are ${known.join(', ')}`;
  return configurationError(name, `unknown flag, ${hint}`);
}
