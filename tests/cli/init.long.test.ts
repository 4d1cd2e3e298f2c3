/** `skein init`: the files it writes, the files it doesn't change, and the validity of its settings. */
import { afterAll, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json';
import { loadSettings } from '../../settings/load.ts';
import { Settings } from '../../settings/schema.ts';
import { spawnCommand } from '../support/process.ts';
import { CTRL_C, terminal } from '../support/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-init-'));
afterAll(() => rmSync(folder, { recursive: true }));

// A permanent copy of Bun, as if it were installed.
const bin = join(folder, 'bin');
mkdirSync(bin);
symlinkSync(process.execPath, join(bin, 'bun'));

async function init(...args: string[]) {
  return initWith(`${bin}:${process.env.PATH}`, ...args);
}

async function initWith(path: string, ...args: string[]) {
  const child = spawnCommand(['init', ...args], folder, { PATH: path });
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  return { code: await child.exited, output: child.output() };
}

/** Matches the comment sign before a setting; other comments begin with a capital letter. */
const COMMENT = /^# (?= *(?:- )?[a-z][\w-]*:)/gm;

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');

test('a project has its files, and every setting is in them as a comment that can be uncommented', async () => {
  const { code, output } = await init('first', '--yes');
  expect(code).toBe(0);
  expect(output).toContain('+ config.yml');
  expect(output).toMatch(/^\+ graphs\/ \(\d+ files\)$/m);
  expect(output).toContain('+ vendor/ (1 file)\n');
  for (const name of [
    'package.json',
    'tsconfig.json',
    '.env.example',
    '.gitignore',
    'Dockerfile',
    'compose.yml',
  ])
    expect(existsSync(join(folder, 'first', name))).toBe(true);
  expect(existsSync(join(folder, 'first', '.env'))).toBe(false);
  const { name, dependencies, engines, scripts } = JSON.parse(read('first', 'package.json'));
  expect(name).toBe('first');
  expect(engines).toEqual(packageJson.engines);
  for (const script of [scripts.start, scripts.dev, scripts.test])
    expect(script).toStartWith('bun scripts/install.ts && ');
  expect(read('first', 'scripts', 'install.ts')).toContain('export function oldBun');
  expect(existsSync(join(folder, 'first', dependencies.skein.replace('file:', '')))).toBe(true);

  const cwd = join(folder, 'first');
  expect(loadSettings({ cwd, env: {}, flags: {} }).settings.web_configuration.port).toBe(8080);
  const written = Bun.YAML.parse(read('first', 'config.yml').replaceAll(COMMENT, '')) as object;
  expect(Object.keys(written)).toEqual(Object.keys(Settings.properties));
  expect(written).toMatchObject({
    limits: { run_seconds: 120 },
    models: [{ role: 'chat' }],
    workflows: { 'sql-manipulation-agent': { require_approval: false } },
  });
  const profiles = Bun.YAML.parse(read('first', 'profiles.yml').replaceAll(COMMENT, ''));
  expect(profiles).toMatchObject([
    { name: 'development' },
    { name: 'production', memory: { window_messages: 20 } },
  ]);
}, 60_000);

test("a folder that isn't empty is rejected; with --force, only missing files are added", async () => {
  await init('second', '--yes');
  writeFileSync(join(folder, 'second', 'config.yml'), 'mine');
  rmSync(join(folder, 'second', 'compose.yml'));
  const [archive = ''] = readdirSync(join(folder, 'second', 'vendor'));
  writeFileSync(join(folder, 'second', 'vendor', archive), 'mine too');
  const refused = await init('second', '--yes');
  expect(refused.code).toBe(2);
  expect(refused.output).toContain('the folder is not empty');
  const { code, output } = await init('second', '--yes', '--force');
  expect(code).toBe(0);
  expect(output).toContain('+ compose.yml');
  expect(output).toContain('= config.yml, unchanged');
  expect(output).not.toContain('password');
  expect(read('second', 'config.yml')).toBe('mine');
  expect(output).toContain('= vendor/ (1 file), unchanged');
  expect(read('second', 'vendor', archive)).toBe('mine too');
}, 60_000);

test('an existing project gets missing entries in package.json, keeps its own, and the printed commands exist', async () => {
  const cwd = join(folder, 'existing');
  mkdirSync(cwd);
  const own = {
    name: 'shop',
    version: '2.0.0',
    scripts: { start: 'node server.js', lint: 'eslint .' },
    dependencies: { express: '^5.0.0' },
    devDependencies: { zod: '3.25.76' },
  };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(own, null, '\t'));
  const { code, output } = await init('existing', '--yes', '--force', '--template', 'empty');
  expect(code).toBe(0);
  expect(output).toMatch(/^\+ package\.json: scripts\.dev, scripts\.skein, .*dependencies\.skein/m);
  expect(output).toContain(
    '\ncd existing\nbun install\nbun run skein serve   # http://localhost:8080\nbun run test',
  );
  const text = read('existing', 'package.json');
  expect(text).toContain('\n\t"name": "shop",\n');
  const { name, version, type, scripts, dependencies, devDependencies, overrides } = JSON.parse(text);
  expect({ name, version, type }).toEqual({ name: 'shop', version: '2.0.0', type: undefined });
  expect(scripts).toMatchObject({ start: 'node server.js', lint: 'eslint .', skein: 'skein' });
  expect(dependencies).toMatchObject({ express: '^5.0.0', skein: expect.stringContaining('vendor/') });
  expect(dependencies.zod).toBeUndefined();
  expect(devDependencies.zod).toBe('3.25.76');
  expect(Object.keys(overrides)).toContain('@huggingface/transformers');
  const again = await init('existing', '--yes', '--force', '--template', 'empty');
  expect(again.output).toContain('= package.json, unchanged');
  expect(read('existing', 'package.json')).toBe(text);
}, 60_000);

test("a package.json that isn't a JSON object is rejected, and nothing is written", async () => {
  const cwd = join(folder, 'broken');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{"name": "shop",}');
  const { code, output } = await init('broken', '--yes', '--force');
  expect(code).toBe(2);
  expect(output).toContain("'package.json': expected a JSON object");
  expect(readdirSync(cwd)).toEqual(['package.json']);
}, 60_000);

test('an existing project gets no example unless a template is named', async () => {
  await init('sixth', '--yes', '--template', 'react-agent');
  const added = await init('sixth', '--yes', '--force');
  expect(added.code).toBe(0);
  expect(added.output).not.toMatch(/^\+/m);
  expect(readdirSync(join(folder, 'sixth', 'graphs'))).toEqual(['react-agent']);
  await init('sixth', '--yes', '--force', '--template', 'supervisor');
  expect(readdirSync(join(folder, 'sixth', 'graphs')).toSorted()).toEqual(['react-agent', 'supervisor']);
}, 60_000);

test('on a terminal it asks questions, and secrets are written only to .env', async () => {
  const session = terminal(['init', 'third'], folder);
  await session.sees('Name [third]');
  session.type('My Shop!\r');
  await session.sees('Template: bike-insights, react-agent, supervisor or empty [bike-insights]');
  session.type('react\r');
  await session.sees('Expected bike-insights, react-agent, supervisor or empty [bike-insights]');
  session.type('react-agent\r');
  await session.sees('Language model');
  session.type('lama\r');
  await session.sees('Expected built-in, openai, or the URL');
  session.type('http://localhost:11434/v1\r');
  await session.sees('Model [llama3.1]');
  session.type('\r');
  await session.sees('API key, empty for none:');
  session.type('key-canary\r');
  await session.sees('Require authentication?');
  session.type('sure\r');
  await session.sees('Expected y or n');
  session.type('y\r');
  await session.sees('User name [admin]');
  session.type('\r');
  await session.sees('Password, empty for a random one:');
  session.type('\r');
  expect(await session.exited).toBe(0);
  expect(session.shown()).not.toContain('key-canary');
  expect(session.shown()).toContain('the user name and password in .env');
  const cwd = join(folder, 'third');
  expect(JSON.parse(read('third', 'package.json')).name).toBe('my-shop');
  expect(readdirSync(join(cwd, 'graphs'))).toEqual(['react-agent']);
  expect(statSync(join(cwd, '.env')).mode & 0o777).toBe(0o600);
  const { settings } = loadSettings({ cwd, env: {}, flags: {} });
  expect(settings.models).toMatchObject([
    { model: 'llama3.1', base_url: 'http://localhost:11434/v1', api_key: 'key-canary' },
  ]);
  const { enable, username, password, jwt_secret_key } = settings.web_configuration.authentication;
  expect({ enable, username }).toEqual({ enable: true, username: 'admin' });
  expect(password?.length).toBeGreaterThan(20);
  expect(jwt_secret_key?.length).toBeGreaterThan(32);
}, 60_000);

test("on a terminal, it doesn't ask for a named template, and an existing project gets none by default", async () => {
  const named = terminal(['init', 'seventh', '--template', 'supervisor'], folder);
  await named.sees('Name [seventh]');
  named.type('\r');
  await named.sees('Language model');
  named.type('\r');
  await named.sees('Require authentication?');
  named.type('\r');
  expect(await named.exited).toBe(0);
  expect(named.shown()).not.toContain('Template:');
  expect(readdirSync(join(folder, 'seventh', 'graphs'))).toEqual(['supervisor']);
  const added = terminal(['init', 'seventh', '--force'], folder);
  await added.sees('Name [seventh]');
  added.type('\r');
  await added.sees('Template: bike-insights, react-agent, supervisor or empty [empty]');
  added.type('\r');
  await added.sees('Language model');
  added.type('\r');
  await added.sees('Require authentication?');
  added.type('\r');
  expect(await added.exited).toBe(0);
  expect(readdirSync(join(folder, 'seventh', 'graphs'))).toEqual(['supervisor']);
}, 60_000);

test('if the questions are aborted, nothing is written', async () => {
  const session = terminal(['init', 'fifth'], folder);
  await session.sees('Name [fifth]');
  session.type('shop\r');
  await session.sees('Template:');
  session.type(CTRL_C);
  expect(await session.exited).toBe(2);
  expect(session.shown()).toContain('the questions were not answered');
  expect(existsSync(join(folder, 'fifth'))).toBe(false);
}, 60_000);

test.each([
  ['a shop, 日本', "cd 'a shop, 日本'", 'a-shop'],
  ['x/Deep_er', 'cd x/Deep_er', 'deep-er'],
  ['日本', "cd '日本'", 'service'],
])(
  'a folder may be named %p',
  async (name, enter, inPackage) => {
    const { code, output } = await init(name, '--yes');
    expect(code).toBe(0);
    expect(output).toContain(`\n${enter}\nbun install\n`);
    expect(JSON.parse(read(name, 'package.json')).name).toBe(inPackage);
  },
  60_000,
);

test('if Bun is only available through npx, the printed commands use npx', async () => {
  for (const passing of ['_npx/1/node_modules/.bin', 'bun-node-1', 'app/node_modules/.bin']) {
    const path = join(folder, 'path', passing);
    mkdirSync(path, { recursive: true });
    symlinkSync(process.execPath, join(path, 'bun'));
    const { code, output } = await initWith(path, passing.replaceAll('/', '-'), '--yes');
    expect(code).toBe(0);
    expect(output).toContain(
      `\nnpx --yes bun@${Bun.version} install\nnpx --yes bun@${Bun.version} run start `,
    );
  }
}, 60_000);

test('the target may be the current folder', async () => {
  mkdirSync(join(folder, 'here'));
  const child = spawnCommand(['init', '.', '--yes'], join(folder, 'here'), { HOME: folder });
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  expect(await child.exited).toBe(0);
  expect(JSON.parse(read('here', 'package.json')).name).toBe('here');
}, 60_000);

// Longer than file systems allow.
const LONG = 'x'.repeat(300);

test("a folder that isn't writable is reported in one line", async () => {
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
  for (const [name, reason] of [
    ['link', 'one of its folders is a file'],
    ['/proc/skein', 'no such file or directory'],
    [LONG, 'name too long'],
  ] as const) {
    const { code, output } = await init(name, '--yes');
    expect(code).toBe(1);
    expect(output.trim()).toBe(`${resolve(folder, name)}: ${reason}`);
  }
}, 60_000);

test.each([[[]], [['']], [['a', 'b']], [['a', '--port', '1']]])(
  '%p is rejected',
  async (args) => {
    expect((await init(...args)).code).toBe(2);
  },
  30_000,
);
