/** `skein completion`: a script that completes this command line in a shell. */
import { configurationError } from '../../../state/errors.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type CommandShape, commandShapes, type Defined } from './shapes.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = new Map<string, (commands: readonly CommandShape[]) => string>([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

/** Returns the exit code; throws CONFIGURATION_ERROR for an unknown shell. */
export async function completionCommand(argv: string[], commands: Record<string, Defined>): Promise<number> {
  const [shell = '', ...more] = takeFlags(argv, [], []).words;
  const script = SCRIPTS.get(shell);
  if (!script || more.length > 0)
    throw configurationError(
      'arguments',
      `expected ${[...SCRIPTS.keys()].join(', ')}, as in skein completion bash`,
    );
  print(script(commandShapes(commands)));
  return 0;
}
