/** Separates a command's own flags and words from the flags of the settings. */
import { type Flag, readArguments, SETTINGS_FLAGS } from '../../settings/flags.ts';

export type OwnFlag = Flag;

interface Taken {
  /** Flags without a value are an empty text. */
  own: Map<string, string>;
  words: string[];
  rest: string[];
}

/** Throws CONFIGURATION_ERROR for an unknown flag; `settings` are the flags of the settings that the command accepts. */
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

/** The subcommand of that name; undefined for properties that every object has, such as `constructor`. */
export function subcommand<T>(commands: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}
