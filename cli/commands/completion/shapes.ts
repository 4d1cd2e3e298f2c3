/** The words and flags that the command line accepts, parsed from the usage lines of each command. */
import { SETTINGS_FLAGS } from '../../../settings/flags.ts';

/** The part of a command's definition that completion needs. */
export interface Defined {
  summary: string;
  usage: readonly string[];
}

export interface CommandShape {
  name: string;
  summary: string;
  /** Subcommands, such as `add` of `kb`. */
  actions: string[];
  /** Includes the flags of the settings if the command takes them. */
  flags: FlagShape[];
}

export interface FlagShape {
  name: string;
  /** False for a switch. */
  takesValue: boolean;
  /** The accepted values, if they are few. */
  values: string[];
}

/** In the order of the list. */
export function commandShapes(commands: Record<string, Defined>): CommandShape[] {
  return Object.entries(commands).map(([name, { summary, usage }]) => ({
    name,
    summary,
    actions: unique(usage.flatMap((form) => actionIn(form, name))),
    flags: flagsIn(usage),
  }));
}

function flagsIn(usage: readonly string[]): FlagShape[] {
  const own = usage.flatMap((form) => Array.from(form.matchAll(FLAG), flagOf));
  const known = new Map([...SETTINGS, ...own].map((flag) => [flag.name, flag]));
  return [...known.values()];
}

// A flag, then a space and its value.
const FLAG = /(--[a-z-]+)(?: ([^\s[\]]+))?/g;
const CHOICES = /^[a-z-]+(?:\|[a-z-]+)+$/;

function flagOf([, name = '', value]: RegExpMatchArray): FlagShape {
  const values = value !== undefined && CHOICES.test(value) ? value.split('|') : [];
  return { name, takesValue: value !== undefined, values };
}

const SETTINGS_VALUES: Record<string, string[]> = {
  '--log-level': ['debug', 'info', 'warn', 'error'],
  '--log-format': ['json', 'pretty'],
};
const SETTINGS: FlagShape[] = SETTINGS_FLAGS.map(({ name }) => ({
  ...{ name, takesValue: true },
  values: SETTINGS_VALUES[name] ?? [],
}));

/** `skein kb add FILE...` and `skein threads [list]` name actions in lower case; arguments are in capitals. */
function actionIn(form: string, name: string): string[] {
  const word = form.slice(`skein ${name} `.length).split(' ')[0] ?? '';
  const bare = word.replace(/^\[(.*)\]$/, '$1');
  return bare !== 'settings' && ACTIONS.test(bare) ? bare.split('|') : [];
}

const ACTIONS = /^[a-z][a-z-]*(?:\|[a-z][a-z-]*)*$/;

function unique<T>(all: readonly T[]): T[] {
  return [...new Set(all)];
}
