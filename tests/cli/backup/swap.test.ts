/** A restore that is interrupted after any of its steps is completed by the next one. Until then, no service starts. */
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginSwap, finishSwap } from '../../../cli/commands/restore/swap.ts';
import { journalPath, type Move, readJournal } from '../../../cli/service/drivers/cut-off-restore.ts';
import { openState } from '../../../cli/service/drivers/open-state.ts';
import { loadSettings } from '../../../settings/load.ts';

const MAX_STEPS = 7;

function placed() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-swap-'));
  const at = (name: string) => join(folder, name);
  writeFileSync(at('config.yml'), 'chat_history: {database_path: state.db}');
  const { settings } = loadSettings({ cwd: folder, env: {}, flags: {} });
  writeFileSync(at('state.db'), 'old');
  writeFileSync(at('state.db-wal'), 'old log');
  writeFileSync(at('state.db.restoring'), 'new');
  for (const [name, text] of [
    ['prompts', 'old'],
    ['prompts.restoring', 'new'],
    ['documents.restoring', 'new'],
  ] as const) {
    mkdirSync(at(name));
    writeFileSync(join(at(name), 'file'), text);
  }
  const move = (name: string): Move => ({
    place: at(name),
    aside: at(`${name}.aside`),
    fresh: at(`${name}.restoring`),
  });
  const log = { ...move('state.db-wal'), fresh: undefined };
  return { folder, at, settings, moves: [log, ...['state.db', 'prompts', 'documents'].map(move)] };
}

test('after an interruption at any step, the next restore completes the new files and keeps the old ones beside them', async () => {
  let cutOffs = 0;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const { folder, at, settings, moves } = placed();
    const path = journalPath(settings);
    await beginSwap(path, { backup: '/backups/monday', moves });
    let left = steps;
    const dying = (from: string, to: string) => {
      if (left-- === 0) throw new Error('cut off');
      renameSync(from, to);
    };
    const journal = readJournal(path);
    if (!journal) throw new Error('there is no journal');
    const cutOff = await finishSwap(path, journal, dying).then(
      () => false,
      () => true,
    );
    if (cutOff) {
      cutOffs++;
      await expect(openState(settings)).rejects.toThrow(
        'a restore was interrupted; run "skein restore /backups/monday" again to finish it',
      );
      await finishSwap(path, journal);
    }
    expect(existsSync(path)).toBe(false);
    expect(existsSync(at('state.db-wal'))).toBe(false);
    const read = (...names: string[]) => readFileSync(join(folder, ...names), 'utf8');
    expect([read('state.db'), read('prompts', 'file'), read('documents', 'file')]).toEqual([
      'new',
      'new',
      'new',
    ]);
    expect([read('state.db.aside'), read('state.db-wal.aside'), read('prompts.aside', 'file')]).toEqual([
      'old',
      'old log',
      'old',
    ]);
    rmSync(folder, { recursive: true });
  }
  expect(cutOffs).toBe(6);
});
