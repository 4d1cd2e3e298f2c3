#!/usr/bin/env -S bun --no-env-file
/** The `skein` command. */
import { SkeinError } from '../state/errors.ts';

const HELP = `skein: a runtime service for agent workflows

  skein serve [flags]      serve over HTTP            skein serve --port 8080
  skein validate [flags]   check the configuration    skein validate --profile dev
  skein db seed [--force]  make the sample database   skein db seed
  skein db import FILE     a file becomes a table     skein db import bikes.csv [--table NAME] [--replace]
  skein db tables          show the local database    skein db tables
  skein kb add FILE...     documents for the agents   skein kb list, remove NAME, search QUERY, reindex, status
  skein prompts list       prompt files and their versions, also show, edit, history, restore, diff
  skein eval sql [--dev]   judge the SQL that is written for a set of questions
  skein eval knowledge     judge how well passages are found        skein eval knowledge [--dev]
  skein users hash NAME    a user for the settings    echo secret | skein users hash bob
  skein keys create NAME   a new API key              skein keys create nightly-report
  skein version            print the version

Flags: --port N, --host ADDRESS, --config FILE, --profiles FILE, --profile NAME,
       --log-level debug|info|warn|error, --log-format json|pretty
`;

process.exitCode = await main(process.argv.slice(2));

/** Gives the exit code: 0, 1 for a failure, 2 for a wrong configuration or command line. */
async function main([command, ...rest]: string[]): Promise<number | undefined> {
  try {
    switch (rest.includes('--help') ? 'help' : command) {
      case 'serve':
        await (await import('./serve.ts')).serveCommand(rest);
        return undefined;
      case 'validate':
        return await (await import('./validate-command.ts')).validateCommand(rest);
      case 'db':
        return await (await import('./db-command.ts')).dbCommand(rest);
      case 'kb':
        return await (await import('./kb-command.ts')).kbCommand(rest);
      case 'prompts':
        return await (await import('./prompts-command.ts')).promptsCommand(rest);
      case 'eval':
        return await (await import('./eval-command.ts')).evalCommand(rest);
      case 'users':
        return await (await import('./users-command.ts')).usersCommand(rest);
      case 'keys':
        return await (await import('./keys-command.ts')).keysCommand(rest);
      case 'version':
      case '--version':
        console.log((await import('../package.json')).default.version);
        return 0;
      case undefined:
      case 'help':
      case '--help':
      case '-h':
        console.log(HELP);
        return 0;
      default:
        console.error(`skein: there is no command '${command}'\n\n${HELP}`);
        return 2;
    }
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    console.error([error.message, error.detail ?? []].flat().join(': '));
    return error.code === 'CONFIGURATION_ERROR' ? 2 : 1;
  }
}
