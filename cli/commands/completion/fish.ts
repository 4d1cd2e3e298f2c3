/** Completion for fish: a rule for each command, action and flag. */
import type { CommandShape, FlagShape } from './shapes.ts';

/** File names are completed as well, which is the default of fish. */
export function fishScript(commands: readonly CommandShape[]): string {
  const rules = commands.flatMap(({ name, summary, actions, flags }) => [
    `complete -c skein -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...(actions.length === 0 ? [] : [actionRule(name, actions)]),
    ...flags.map((flag) => flagRule(name, flag)),
  ]);
  const names = commands.map(({ name }) => name).join(' ');
  return [
    '# Completion of skein for fish: skein completion fish | source',
    ...rules,
    "complete -c skein -f -n __fish_use_subcommand -a help -d 'show the help of a command'",
    `complete -c skein -f -n '__fish_seen_subcommand_from help' -a ${quoted(names)}`,
    "complete -c skein -l help -d 'show the help of a command'",
  ].join('\n');
}

function actionRule(name: string, actions: readonly string[]): string {
  const all = actions.join(' ');
  const only = `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${all}`;
  return `complete -c skein -n ${quoted(only)} -a ${quoted(all)}`;
}

function flagRule(name: string, { name: flag, takesValue, values }: FlagShape): string {
  const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '';
  return `complete -c skein -n ${quoted(`__fish_seen_subcommand_from ${name}`)} -l ${flag.slice(2)}${value}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
