/** `skein prompts` as a process. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineDiff } from '../../cli/commands/prompts/line-diff.ts';
import { BARE_ENVIRONMENT } from '../support/bare-environment.ts';
import { spawnCommand } from '../support/process.ts';

const MAIN = join(import.meta.dir, '../../cli/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'skein-prompts-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const prompts = (...args: string[]) => promptsWith({}, ...args);

async function promptsWith(env: Record<string, string>, ...args: string[]) {
  const child = spawnCommand(['prompts', ...args], folder, env);
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  return { code: await child.exited, output: child.output() };
}

const FILE = 'classification-agent.responder.jinja';

test('prompt files are listed, shown, restored and compared', async () => {
  expect((await prompts('list')).output).toMatch(/^default {2}\d+ files {2}shipped\n$/);
  expect((await prompts('list', 'default')).output).toContain(`${FILE}\n`);
  const shipped = (await prompts('show', 'default', FILE)).output;
  expect(shipped).toContain('{{ category.description }}');
  await Bun.write(join(folder, '.files/prompts/default', FILE), `first\n${shipped}`);
  expect((await prompts('diff', 'default', FILE, '0')).output).toStartWith('+first\n Category');
  expect((await prompts('restore', 'default', FILE, '0')).output).toBe(
    `${FILE} of revision default is now version 2, with the text of version 0\n`,
  );
  expect((await prompts('show', 'default', FILE)).output).toBe(shipped);
  const { output } = await prompts('history', 'default', FILE);
  expect(output.split('\n').map((line) => line.trim().split(/\s+/)[0])).toEqual(['2', '1', '0', '']);
}, 60_000);

const own = (revision: string, file = FILE) => join(folder, '.files/prompts', revision, file);

/** Edits with a shell script, which gets the copy as `$1`. */
async function edit(script: string, name = `v1/${FILE}`) {
  const path = join(folder, 'editor.sh');
  await Bun.write(path, script);
  return promptsWith({ EDITOR: `sh ${path}`, TMPDIR: folder }, 'edit', name);
}

const keptIn = (output: string) => /kept in (\S+)/.exec(output)?.[1] ?? 'nowhere';

test('a file is edited in an editor, and the saved text is a version by its author', async () => {
  const made = await edit('echo "more" >> "$1"');
  expect(made).toMatchObject({ code: 0, output: `${FILE} of revision v1 is now version 1\n` });
  const shipped = (await prompts('show', 'default', FILE, '0')).output;
  expect(await Bun.file(own('v1')).text()).toBe(`${shipped}more\n`);
  expect((await edit('echo Hello > "$1"')).output).toContain('is now version 2');
  expect((await prompts('show', `v1/${FILE}`)).output).toBe('Hello\n');
  expect((await prompts('history', 'v1', FILE)).output).toMatch(/^ +2 .* cli:\S+\n +1 .* cli:\S+\n$/);
  expect((await edit(':')).output).toBe(`${FILE} is unchanged; nothing was saved\n`);
  expect(readdirSync(folder).filter((name) => name.startsWith('skein-prompt-'))).toEqual([]);
}, 60_000);

test('an invalid text is not saved, but kept in a file', async () => {
  await Bun.write(own('v2'), 'good');
  const { code, output } = await edit('printf "{%% if" > "$1"', `v2/${FILE}`);
  expect(code).toBe(1);
  expect(output).toStartWith(
    `The prompt file is not valid: prompt file '${FILE}' of revision 'v2': line 1, column 1: `,
  );
  expect(await Bun.file(keptIn(output)).text()).toBe('{% if');
  expect(await Bun.file(own('v2')).text()).toBe('good');
  expect((await edit('printf "\\377" > "$1"', 'v2/a.md')).output).toContain(
    "'a.md' of revision 'v2': not UTF-8",
  );
  expect((await edit(':', 'v2/a.exe')).output).toContain('not a valid name of a prompt file');
}, 60_000);

test('after a concurrent change, the text is not saved, but kept in a file', async () => {
  await Bun.write(own('v3'), 'first');
  const { code, output } = await edit(`echo mine > "$1"; echo theirs > '${own('v3')}'`, `v3/${FILE}`);
  expect(code).toBe(1);
  expect(output).toStartWith('The prompt file has changed since the version');
  expect(await Bun.file(keptIn(output)).text()).toBe('mine\n');
  expect(await Bun.file(own('v3')).text()).toBe('theirs\n');
}, 60_000);

test('an editor that fails saves nothing', async () => {
  const { code, output } = await edit('echo lost > "$1"; exit 3', `v4/${FILE}`);
  expect(code).toBe(2);
  expect(output).toContain('ended with 3; nothing was saved');
  expect(await Bun.file(keptIn(output)).text()).toBe('lost\n');
  expect(await Bun.file(own('v4')).exists()).toBe(false);
}, 60_000);

test('on a terminal, the editor opens again with the invalid text', async () => {
  await Bun.write(
    join(folder, 'editor.sh'),
    'if [ -e again ]; then echo "Good" > "$1"; else touch again; echo "{{" > "$1"; fi',
  );
  let seen = '';
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN, 'prompts', 'edit', `v5/${FILE}`], {
    cwd: folder,
    env: { ...BARE_ENVIRONMENT, HOME: folder, VISUAL: 'sh editor.sh' },
    terminal: {
      data(terminal, piece) {
        const wasAsked = seen.includes('[Y/n]');
        seen += new TextDecoder().decode(piece);
        if (!wasAsked && seen.includes('[Y/n]')) terminal.write('y\n');
      },
    },
  });
  expect({ code: await child.exited, seen }).toEqual({
    code: 0,
    seen: expect.stringContaining('Edit again? [Y/n]'),
  });
  expect(await Bun.file(own('v5')).text()).toBe('Good\n');
}, 60_000);

test('errors are reported with an exit code', async () => {
  expect(await prompts('show', 'nope', 'a.md')).toMatchObject({
    code: 1,
    output: "Prompt file not found: prompt file 'a.md' of revision 'nope'\n",
  });
  expect((await prompts('show')).code).toBe(2);
  expect((await prompts('nope')).code).toBe(2);
}, 60_000);

test('a diff keeps common lines', () => {
  expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
  expect(lineDiff('', '')).toEqual([' ']);
  const lines = Array.from({ length: 20_000 }, (_, index) => `${index}`);
  const changes = lineDiff(lines.join('\n'), lines.toSpliced(7, 1, 'x').join('\n'));
  expect(changes.filter((line) => !line.startsWith(' '))).toEqual(['-7', '+x']);
});

test('if texts differ in too many lines, the diff replaces all lines', () => {
  expect(lineDiff('\n'.repeat(65_536), 'x')).toEqual([...Array(65_537).fill('-'), '+x']);
});
