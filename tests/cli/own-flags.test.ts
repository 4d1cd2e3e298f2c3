/** Separates a command's own flags, its words and the flags of settings. */
import { expect, test } from 'bun:test';
import { takeFlags } from '../../cli/terminal/own-flags.ts';
import { SkeinError } from '../../state/errors.ts';

const FLAGS = [{ name: '--json' }, { name: '--limit', takes: '20' }];

function refusalOf(argv: string[], settings?: []): string | undefined {
  try {
    takeFlags(argv, FLAGS, settings);
  } catch (error) {
    if (error instanceof SkeinError) return error.message;
    throw error;
  }
}

test('flags and words may have any order, and the last of a repeated flag wins', () => {
  const argv = ['list', '--port', '1', '--limit=2', 'more', '--json', '--limit', '3', '--host=a=b', '-'];
  expect(takeFlags(argv, FLAGS)).toEqual({
    own: new Map([
      ['--limit', '3'],
      ['--json', ''],
    ]),
    words: ['list', 'more', '-'],
    rest: ['--port=1', '--host=a=b'],
  });
});

test('a value may begin with a dash, or with two after an equals sign; after --, all arguments are words', () => {
  const { own, words } = takeFlags(['--limit', '-1', '--', '--json', '-x'], FLAGS);
  expect({ own, words }).toEqual({ own: new Map([['--limit', '-1']]), words: ['--json', '-x'] });
  expect(takeFlags(['--limit=--x'], FLAGS).own.get('--limit')).toBe('--x');
});

test.each([
  [['--limt', '1'], "'--limt': unknown flag, did you mean '--limit'?"],
  [['--prot=canary'], "'--prot': unknown flag, did you mean '--port'?"],
  [['-abc=canary'], "'-abc': unknown flag, known flags are --json, --limit, --port, "],
  [['--constructor'], "'--constructor': unknown flag"],
  [['--__proto__=canary'], "'--__proto__': unknown flag"],
  [['--limit'], "'--limit': expected a value, as in --limit 20"],
  [['--limit='], "'--limit': expected a value, as in --limit 20"],
  [['--limit', '--json'], "'--limit': expected a value, as in --limit 20"],
  [['--port', '--json'], "'--port': expected a value, as in --port 8080"],
  [['--json=canary'], "'--json': takes no value"],
])('%p is rejected with the name of the flag, without its value', (argv, sentence) => {
  const refusal = refusalOf(argv);
  expect(refusal).toStartWith(`Validation error in field ${sentence}`);
  expect(refusal).not.toContain('canary');
});

test('a command without settings rejects their flags', () => {
  expect(refusalOf(['--port', '1'], [])).toContain("'--port': unknown flag");
});
