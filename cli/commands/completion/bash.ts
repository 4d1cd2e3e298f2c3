/** Completion for bash 3.2 (macOS) and later. */
import type { CommandShape } from './shapes.ts';

/** If nothing matches, bash completes file names. */
export function bashScript(commands: readonly CommandShape[]): string {
  return `# Completion of skein for bash: eval "$(skein completion bash)"
_skein() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  if ((COMP_CWORD == 1)); then
    words="${commands.map(({ name }) => name).join(' ')} help"
  else
    case "$command" in
${commands.map(branch).join('\n')}
      help) ((COMP_CWORD == 2)) && words="${commands.map(({ name }) => name).join(' ')}" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _skein skein`;
}

function branch({ name, actions, flags }: CommandShape): string {
  const choices = flags
    .filter(({ takesValue }) => takesValue)
    .map(({ name: flag, values }) => `          ${flag}) words="${values.join(' ')}" ;;`);
  const names = [...flags.map((flag) => flag.name), '--help'].join(' ');
  const action =
    actions.length === 0 ? '' : `\n            ((COMP_CWORD == 2)) && words="${actions.join(' ')}"`;
  return `      ${name})
        case "$before" in
${choices.join('\n')}
          *)${action}
            [[ "$current" == -* ]] && words="${names}" ;;
        esac ;;`;
}
