/** `skein restore`: restores a backup to the places in the settings while no service uses them. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import type { Settings } from '../../../settings/schema.ts';
import { configurationError } from '../../../state/errors.ts';
import { copyState } from '../../../state/transfer/copy.ts';
import { openStore } from '../../../state/transfer/open-store.ts';
import { holdFile } from '../../../state/transfer/state-file.ts';
import { takeLock } from '../../../tools/knowledge/local/index/lock.ts';
import { journalPath, readJournal } from '../../service/drivers/cut-off-restore.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import { type DataPaths, dataPathsOf } from '../backup/data-paths.ts';
import type { Manifest } from '../backup/manifest.ts';
import { STATE_FILE } from '../backup/save.ts';
import { staged, unstage } from './stage.ts';
import { beginSwap, endSwap, finishSwap } from './swap.ts';
import { verifiedBackup } from './verify.ts';

const USAGE = 'skein restore FOLDER [settings]';

/** Returns the exit code. Throws CONFIGURATION_ERROR while a service runs, and INTERNAL_ERROR for a damaged backup. */
export async function restoreCommand(argv: string[]): Promise<number> {
  const { words, rest } = takeFlags(argv, []);
  const [named, ...more] = words;
  if (!named || more.length > 0) throw configurationError('arguments', `expected ${USAGE}`);
  const folder = resolve(named);
  const { settings } = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  const places = dataPathsOf(settings);
  const manifest = await verifiedBackup(folder);
  const release = lockData(settings, places);
  try {
    await restore(folder, { settings, places, manifest });
  } finally {
    release();
  }
  print(printable(`Restored the backup of ${manifest.created_at}: ${manifest.parts.join(', ')}`));
  return 0;
}

/** Locks the places against services. Throws CONFIGURATION_ERROR if one runs. */
function lockData({ chat_history, knowledge_base }: Settings, { documents }: DataPaths): () => void {
  const release = holdFile(chat_history.database_path, 'chat_history.database_path');
  const index = documents === undefined ? undefined : takeLock(knowledge_base.index_path);
  if (documents !== undefined && !index) {
    release();
    throw configurationError('knowledge_base.index_path', 'another process has this index open; stop it');
  }
  return () => {
    index?.release();
    release();
  };
}

interface Restore {
  settings: Settings;
  places: DataPaths;
  manifest: Manifest;
}

async function restore(folder: string, { settings, places, manifest }: Restore): Promise<void> {
  const path = journalPath(settings);
  const cutOff = readJournal(path);
  // A checkpointed database is consistent, and is moved aside like any other file.
  if (cutOff) await finishSwap(path, cutOff);
  const stamp = new Date().toISOString().replaceAll(':', '-');
  const moves = await staged({ folder, manifest, places, stamp });
  await mkdir(dirname(path), { recursive: true });
  await beginSwap(path, { backup: folder, moves });
  if (!places.state.isFile && manifest.parts.includes('state'))
    await copyIntoDatabase(folder, places).catch(async (error) => {
      await unstage(moves);
      await endSwap(path);
      throw error;
    });
  await finishSwap(path, { backup: folder, moves });
  for (const { aside, fresh } of moves)
    if (fresh !== undefined && existsSync(aside))
      print(printable(`The previous files are in ${aside}; remove them when you no longer need them`));
}

/** All or nothing: one transaction of the database. */
async function copyIntoDatabase(folder: string, { state }: DataPaths): Promise<void> {
  const [source, target] = [
    openStore(join(folder, STATE_FILE), 'arguments'),
    openStore(state.location, state.name),
  ];
  try {
    await copyState({ source, target, targetName: state.name, replace: true });
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}
