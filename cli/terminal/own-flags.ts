/** Takes a command's own flags and words out of its arguments; what is left are the flags of the settings. */
import { type Flag, readArguments, SETTINGS_FLAGS } from '../../settings/flags.ts';

export type OwnFlag = Flag;

interface Taken {
  /** Flags without a value have an empty one. */
  own: Map<string, string>;
  words: string[];
  rest: string[];
}

/** Throws CONFIGURATION_ERROR for a flag that is neither; `settings` are those of the settings that it takes. */
export function takeFlags(
  argv: readonly string[],
  flags: readonly OwnFlag[],
  settings: readonly Flag[] = SETTINGS_FLAGS,
): Taken {
  const { given, words } = readArguments(argv, [...flags, ...settings]);
  const isOwn = ([name]: [string, string]) => flags.some((flag) => flag.name === name);
  const settingsGiven = [...given].filter((each) => !isOwn(each));
  return {
    own: new Map([...given].filter(isOwn)),
    words,
    rest: settingsGiven.map(([name, value]) => `${name}=${value}`),
  };
}

/** The command of that name among those of a command; undefined for what every object has, such as `constructor`. */
export function subcommand<T>(commands: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}
