/** Completion in bash 3.2 and later, that of macOS among them. */
import type { CommandShape } from './shapes.ts';

/** Where nothing fits, bash completes names of files. */
export function bashScript(commands: readonly CommandShape[]): string {
  return `# Completion of skein in bash: eval "$(skein completion bash)"
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
