/** `skein completion` in the shells themselves. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../../cli/commands/list.ts';
import { spawnCommand } from '../../support/process.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000);

let folder: string;
const SHELLS = ['bash', 'zsh', 'fish'] as const;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skein-completion-'));
  for (const shell of SHELLS) {
    const child = spawnCommand(['completion', shell], folder);
    await Promise.all([child.errors, Array.fromAsync(child.lines)]);
    expect(await child.exited).toBe(0);
    await Bun.write(join(folder, `skein.${shell}`), child.output());
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns what a shell offers for the last word. '' is a new word. */
async function offered(shell: (typeof SHELLS)[number], ...words: string[]): Promise<string[]> {
  const script = join(folder, `skein.${shell}`);
  const list = ['skein', ...words].map((word) => `'${word}'`).join(' ');
  const programs = {
    bash: `source ${script}; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _skein; printf '%s\\n' "\${COMPREPLY[@]}"`,
    // Stubs of the completion system, which print what it would offer.
    zsh: `compdef() { :; }; _files() { :; }; _describe() { print -l -- \${commands%%:*}; }
      compadd() { shift; print -l -- "$@"; }
      source ${script}; words=(${list}); CURRENT=${words.length + 1}; _skein`,
    fish: `source ${script}; complete -C ${`'skein ${words.join(' ')}'`}`,
  };
  const child = Bun.spawn([shell, '-c', programs[shell]], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    stderr: 'pipe',
  });
  const [out, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(errors).toBe('');
  const names = out.split('\n').map((line) => line.split('\t')[0] ?? '');
  return names.filter((name) => name !== '' && name.startsWith(words.at(-1) ?? ''));
}

for (const shell of SHELLS) {
  const there = test.if(Bun.which(shell) !== null);

  there(`${shell} completes commands, their actions, flags and values`, async () => {
    expect((await offered(shell, '')).toSorted()).toEqual(
      expect.arrayContaining([...Object.keys(COMMANDS), 'help'].toSorted()),
    );
    expect((await offered(shell, 'va')).map((name) => name.trim())).toEqual(['validate']);
    const actions = await offered(shell, 'kb', '');
    for (const action of ['add', 'list', 'remove', 'search', 'reindex', 'status'])
      expect(actions).toContain(action);
    expect(await offered(shell, 'threads', 'de')).toEqual(['delete']);
    expect(await offered(shell, 'kb', 'add', '--no')).toEqual(['--no-wait']);
    expect(await offered(shell, 'serve', '--dr')).toEqual(['--drain-seconds']);
    expect(await offered(shell, 'serve', '--log-l')).toEqual(['--log-level']);
    expect((await offered(shell, 'threads', '--status', '')).toSorted()).toEqual(
      ['busy', 'error', 'idle', 'interrupted'].toSorted(),
    );
    expect((await offered(shell, 'serve', '--log-level', 'w')).toSorted()).toEqual(['warn']);
    expect(await offered(shell, 'completion', 'z')).toEqual(['zsh']);
  });
}

test('an unknown shell is rejected with the known ones', async () => {
  const child = spawnCommand(['completion', 'tcsh'], folder);
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  expect(await child.exited).toBe(2);
  expect(child.output()).toContain('expected bash, zsh, fish');
});
