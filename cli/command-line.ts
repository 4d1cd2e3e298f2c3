/** Runs the command that the command line names and explains a failure in one line. */
import { SkeinApiError } from '../client/api-error.ts';
import { SkeinError } from '../state/errors.ts';
import { nearest } from '../state/schema/nearest.ts';
import { COMMANDS, commandHelp, helpText } from './commands/list.ts';
import { subcommand } from './terminal/own-flags.ts';
import { failed, isOfSystem, reasonOf } from './terminal/plain-errors.ts';
import { refusalText } from './terminal/refusal-text.ts';

const ALIASES: Record<string, string> = { '--version': 'version', '-h': 'help', '--help': 'help' };

// A reader that closes the pipe early, such as `head`, is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : failed(`standard output: ${reasonOf(error)}`));
});
process.exitCode = await main(process.argv.slice(2));

/** Returns the exit code: 0, 1 for a failure, 2 for a wrong configuration or command line; undefined while it serves. */
async function main([first = 'help', ...rest]: string[]): Promise<number | undefined> {
  const asksHelp = (subcommand(ALIASES, first) ?? first) === 'help';
  const name = asksHelp ? rest[0] : (subcommand(ALIASES, first) ?? first);
  if (name === undefined) {
    process.stdout.write(helpText());
    return 0;
  }
  const command = subcommand(COMMANDS, name);
  if (!command) {
    const meant = nearest(name, Object.keys(COMMANDS));
    const hint = meant ? `, did you mean '${meant}'?` : '';
    console.error(`skein: unknown command '${name}'${hint}\n\n${helpText()}`);
    return 2;
  }
  if (asksHelp || rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(commandHelp(command));
    return 0;
  }
  try {
    return await (await command.load())(rest);
  } catch (error) {
    if (error instanceof SkeinApiError) {
      console.error(refusalText(error));
      return 1;
    }
    if (isOfSystem(error)) return failed(`${error.path ?? error.syscall}: ${reasonOf(error)}`);
    if (!(error instanceof SkeinError)) throw error;
    console.error([error.message, error.detail ?? []].flat().join(': '));
    return error.code === 'CONFIGURATION_ERROR' ? 2 : 1;
  }
}
