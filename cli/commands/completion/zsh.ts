/** Completion for zsh, with its `compdef`. */
import type { CommandShape } from './shapes.ts';

/** If nothing else matches, file names are completed. */
export function zshScript(commands: readonly CommandShape[]): string {
  return `#compdef skein
# Completion of skein for zsh: eval "$(skein completion zsh)", after compinit
_skein() {
  local before="$words[CURRENT-1]" current="$words[CURRENT]"
  if ((CURRENT == 2)); then
    local -a commands=(
${commands.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}`).join('\n')}
      'help:show the help of a command'
    )
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
${commands.map(branch).join('\n')}
    help) ((CURRENT == 3)) && compadd -- ${commands.map(({ name }) => name).join(' ')} ;;
    *) _files ;;
  esac
}
compdef _skein skein`;
}

function branch({ name, actions, flags }: CommandShape): string {
  const valued = flags.filter(({ takesValue }) => takesValue);
  const choices = valued.map(({ name: flag, values }) =>
    values.length === 0 ? `        ${flag}) _files ;;` : `        ${flag}) compadd -- ${values.join(' ')} ;;`,
  );
  const names = [...flags.map((flag) => flag.name), '--help'].join(' ');
  const action =
    actions.length === 0 ? '' : `\n          ((CURRENT == 3)) && compadd -- ${actions.join(' ')}`;
  return `    ${name})
      case "$before" in
${choices.join('\n')}
        *)${action}
          if [[ "$current" == -* ]]; then compadd -- ${names}; else _files; fi ;;
      esac ;;`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
