/** Every command of `skein`: its help, its errors, and colours only on terminals. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS, type Command, commandHelp } from '../../cli/commands/list.ts';
import { SkeinError } from '../../state/errors.ts';
import { runCommand } from '../support/run-command.ts';
import { terminal } from '../support/terminal.ts';

// A command is a process, which starts slowly on a busy machine.
setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-commands-'));
afterAll(() => rmSync(folder, { recursive: true }));

const skein = (...args: string[]) => runCommand(args, folder);

/** The arguments that a command requires before it checks its flags. */
const WORDS: Record<string, string[]> = {
  init: ['somewhere'],
  graph: ['classification-agent'],
  state: ['check'],
  db: ['tables'],
  kb: ['list'],
  prompts: ['list'],
  eval: ['classification-agent', 'cases.jsonl'],
  users: ['hash', 'ann'],
  keys: ['create', 'nightly'],
};

test('the help names every command, and is shown by no arguments, help and --help', async () => {
  const { out, code } = await skein();
  expect(code).toBe(0);
  for (const [name, { summary }] of Object.entries(COMMANDS)) {
    expect(out).toMatch(new RegExp(`^  skein ${name} +${RegExp.escape(summary)}$`, 'm'));
  }
  for (const words of [['help'], ['--help'], ['-h']]) expect((await skein(...words)).out).toBe(out);
});

describe.each(Object.entries(COMMANDS))('skein %s', (name, command) => {
  test('has help with its usage and an example', () => {
    const help = commandHelp(command);
    expect(help).toContain(`\nExample: ${command.example}\n`);
    for (const form of command.usage) expect(help).toContain(`  ${form}\n`);
    expect(Math.max(...help.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120);
  });

  test('rejects an unknown flag by its name', async () => {
    const run = await command.load();
    const refusal = await run([...(WORDS[name] ?? []), '--no-such-flag', 'x']).catch((error) => error);
    expect(refusal).toBeInstanceOf(SkeinError);
    expect(refusal.code).toBe('CONFIGURATION_ERROR');
    expect(refusal.message).toContain("'--no-such-flag': unknown flag");
  });
});

test('both ways to ask for the help of a command show it', async () => {
  const help = { out: commandHelp(COMMANDS.serve as Command), errors: '', code: 0 };
  for (const words of [
    ['serve', '--help'],
    ['serve', '-h'],
    ['help', 'serve'],
  ])
    expect(await skein(...words)).toEqual(help);
});

test.each(['serve', 'validate', 'threads'])(
  'skein %s does nothing if it gets an unknown flag',
  async (name) => {
    const { out, errors, code } = await skein(name, '--no-such-flag', 'x');
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(errors).toContain("'--no-such-flag': unknown flag");
    expect(errors).not.toContain('\u001b');
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('an unknown command is rejected with the nearest known one', async () => {
  const { errors, code } = await skein('worflows');
  expect(code).toBe(2);
  expect(errors).toContain("unknown command 'worflows', did you mean 'workflows'?");
  for (const name of ['constructor', '__proto__', '']) {
    expect((await skein(name)).errors).toContain(`unknown command '${name}'`);
    expect((await skein('help', name)).errors).toContain(`unknown command '${name}'`);
  }
});

test.each([[{}, true] as const, [{ NO_COLOR: '1' }, false] as const, [{ TERM: 'dumb' }, false] as const])(
  'on a terminal with %p colours are used: %p',
  async (env, isColoured) => {
    const { raw, exited } = terminal(['workflows'], folder, env);
    expect(await exited).toBe(0);
    expect(raw().includes('\u001b[32m✓')).toBe(isColoured);
  },
);

test.each(['db', 'kb', 'prompts', 'threads', 'users', 'keys'])(
  'skein %s rejects unknown subcommands',
  async (name) => {
    for (const action of ['nonsense', 'constructor']) {
      const { out, errors, code } = await skein(name, action);
      expect({ out, code }).toEqual({ out: '', code: 2 });
      expect(errors).toContain('expected ');
    }
  },
);

test.each([
  [['threads', '--status', 'foo'], "'--status': expected idle, busy, interrupted, error"],
  [['threads', '--limit', '0'], "'--limit': expected a whole number from 1 to 100"],
  [['threads', 'show', 'a thread'], "'arguments': expected a thread's id"],
  [['chat', '--message', 'Hello', '--thread', 'a thread'], "'--thread': expected a thread's id"],
])('an impossible value is rejected before anything is opened: %p', async (words, reason) => {
  const { out, errors, code } = await skein(...words);
  expect({ out, code }).toEqual({ out: '', code: 2 });
  expect(errors).toStartWith(`Validation error in field ${reason}`);
});

test('a flag that is similar to one of the command is suggested', async () => {
  expect((await skein('threads', '--workflw', 'x')).errors).toContain("did you mean '--workflow'?");
});

test('a closed pipe is not an error, and a full disk is one', async () => {
  const ended = async (after: string, command = 'validate --port 0') => {
    const script = `set -o pipefail; "${process.execPath}" --no-env-file "${MAIN}" ${command} ${after}`;
    const child = Bun.spawn(['bash', '-c', script], { cwd: folder, stdout: 'ignore', stderr: 'pipe' });
    return { errors: await child.stderr.text(), code: await child.exited };
  };
  expect(await ended('| true')).toEqual({ errors: '', code: 0 });
  for (const command of ['validate --port 0', 'validate --json --port 0', 'version'])
    expect(await ended('> /dev/full', command)).toEqual({
      errors: 'standard output: no space left on device\n',
      code: 1,
    });
});

const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');
