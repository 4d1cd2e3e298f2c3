/** `skein kb`: shows, fills and searches the documents of the local knowledge base. */
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import { configurationError, SkeinError } from '../../../state/errors.ts';
import { type OwnFlag, subcommand, takeFlags } from '../../terminal/own-flags.ts';
import { failed, isOfSystem, reasonOf } from '../../terminal/plain-errors.ts';
import { addDocuments } from './add.ts';
import { reindex, removeDocuments } from './changes.ts';
import { type Base, type KnowledgeArguments, openBase } from './open.ts';
import { listed, searched, statusOf } from './show.ts';

interface Command {
  usage: string;
  flags: readonly OwnFlag[];
  /** The least and the greatest number of arguments. */
  words: readonly [number, number];
  /** Returns the exit code. */
  run(base: Base, given: KnowledgeArguments): Promise<number>;
}

const JSON_FLAG: OwnFlag = { name: '--json' };
const ANY = Number.POSITIVE_INFINITY;

const COMMANDS: Record<string, Command> = {
  add: {
    usage: 'skein kb add FILE... [--no-wait]',
    flags: [JSON_FLAG, { name: '--wait' }, { name: '--no-wait' }],
    words: [1, ANY],
    run: addDocuments,
  },
  list: { usage: 'skein kb list', flags: [JSON_FLAG], words: [0, 0], run: listed },
  remove: { usage: 'skein kb remove NAME...', flags: [], words: [1, ANY], run: removeDocuments },
  search: {
    usage: 'skein kb search QUERY [--limit N]',
    flags: [JSON_FLAG, { name: '--limit', takes: '6' }],
    words: [1, ANY],
    run: searched,
  },
  reindex: { usage: 'skein kb reindex', flags: [], words: [0, 0], run: reindex },
  status: { usage: 'skein kb status', flags: [JSON_FLAG], words: [0, 0], run: statusOf },
};

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function kbCommand([action = '', ...argv]: string[]): Promise<number> {
  const command = subcommand(COMMANDS, action);
  if (!command)
    throw configurationError(
      'arguments',
      `expected ${Object.keys(COMMANDS).join(', ')}, as in skein kb list`,
    );
  const { own, words, rest } = takeFlags(argv, command.flags);
  const [least, most] = command.words;
  if (own.has('--wait') && own.has('--no-wait'))
    throw configurationError('--wait', 'expected either --wait or --no-wait');
  if (words.length < least || words.length > most)
    throw configurationError('arguments', `expected ${command.usage}`);
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  if (loaded.settings.knowledge_base.mode !== 'local')
    throw configurationError('knowledge_base.mode', "must be 'local' for skein kb");
  const base = await openBase(loaded);
  try {
    return await command.run(base, { own, words });
  } catch (error) {
    if (isOfSystem(error)) throw error;
    if (!(error instanceof SkeinError)) return failed(reasonOf(error));
    if (error.code === 'CONFIGURATION_ERROR') throw error;
    return failed([error.message, error.detail].filter(Boolean).join(': '));
  } finally {
    await base.close();
  }
}
