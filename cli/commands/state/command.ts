/** `skein state`: copies conversations to another database, checks them, and imports those of LangGraph. */
import { configurationError } from '../../../state/errors.ts';
import { subcommand } from '../../terminal/own-flags.ts';

const COMMANDS: Record<string, () => Promise<(argv: string[]) => Promise<number>>> = {
  copy: async () => (await import('./copy.ts')).copyCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  'import-langgraph': async () => (await import('./import-langgraph.ts')).importCommand,
};

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function stateCommand([action = '', ...argv]: string[]): Promise<number> {
  const load = subcommand(COMMANDS, action);
  if (!load)
    throw configurationError(
      'arguments',
      'expected copy, check or import-langgraph, as in skein state check',
    );
  return (await load())(argv);
}
