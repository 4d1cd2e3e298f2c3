/** Takes a command's own flags and words out of its arguments; what is left are the flags of the settings. */
import { FLAG_PATHS, unknownFlag } from '../../settings/flags.ts';
import { configurationError } from '../../state/errors.ts';

export interface OwnFlag {
  name: string;
  /** An example of its value, where it takes one. */
  takes?: string;
}

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
  settings: readonly string[] = Object.keys(FLAG_PATHS),
): Taken {
  const known = [...flags.map(({ name }) => name), ...settings];
  const taken: Taken = { own: new Map(), words: [], rest: [] };
  const left = [...argv];
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    const [name = '', ...inline] = argument.split('=');
    const flag = flags.find((each) => each.name === name);
    if (flag) taken.own.set(name, flag.takes === undefined ? '' : takeValue(flag, inline, left));
    else if (!argument.startsWith('-')) taken.words.push(argument);
    else if (!settings.includes(name)) throw unknownFlag(name, known);
    else {
      taken.rest.push(argument);
      // The settings' own flags all take a value.
      const value = argument.includes('=') || left[0]?.startsWith('-') ? undefined : left.shift();
      if (value !== undefined) taken.rest.push(value);
    }
  }
  return taken;
}

function takeValue({ name, takes }: OwnFlag, inline: readonly string[], left: string[]): string {
  const value = inline.length > 0 ? inline.join('=') : left[0]?.startsWith('--') ? undefined : left.shift();
  if (!value) throw configurationError(name, `expected a value, as in ${name} ${takes}`);
  return value;
}

/** The command of that name among those of a command; undefined for what every object has, such as `constructor`. */
export function subcommand<T>(commands: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}
