/** Which files are read, their precedence, and the errors of broken files. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type LoadedSettings, loadSettings } from '../../../settings/load.ts';
import { project } from '../project.ts';

const PORT = 'web_configuration.port';

describe('the order of the layers', () => {
  test('all files are optional', () => {
    const { cwd, load } = project();
    const { settings, sources, files, projectFolder } = load();
    expect(settings.web_configuration.port).toBe(80);
    expect(settings.models).toEqual([]);
    expect(sources[PORT]).toBe('default');
    expect(files).toEqual({ config: null, profiles: null, env: null });
    expect(projectFolder).toBe(cwd);
  });

  test('each layer overrides the one before it, and is reported as the source', () => {
    const { load } = project({
      'config.yml': 'web_configuration: {port: 1, host: a}\nmemory: {window_tokens: 7}',
      'profiles.yml': '- name: dev\n  web_configuration: {port: 2}',
      '.env': 'SERVICE_WEB_CONFIGURATION__HOST=b\n',
    });
    const { settings, sources } = load();
    expect(settings.web_configuration).toMatchObject({ port: 2, host: 'b' });
    expect(settings.memory.window_tokens).toBe(7);
    expect(sources['memory.window_tokens']).toBe('config.yml');
    expect(sources[PORT]).toBe('profile dev in profiles.yml');
    expect(sources['web_configuration.host']).toBe('environment SERVICE_WEB_CONFIGURATION__HOST in .env');

    const env = { SERVICE_WEB_CONFIGURATION__PORT: '3', SERVICE_WEB_CONFIGURATION__HOST: 'c' };
    const real = load({ env });
    expect(real.settings.web_configuration).toMatchObject({ port: 3, host: 'c' });
    expect(real.sources['web_configuration.host']).toBe('environment SERVICE_WEB_CONFIGURATION__HOST');
    expect(load({ env: { ...env, WEB_PORT: '4' } }).settings.web_configuration.port).toBe(4);

    const flagged = load({ env: { ...env, WEB_PORT: '4' }, flags: { [PORT]: '5' } });
    expect(flagged.settings.web_configuration.port).toBe(5);
    expect(flagged.sources[PORT]).toBe('flag --port');
  });

  test('a YAML field without a value is ignored', () => {
    const { load } = project({ 'config.yml': 'web_configuration:\n  port:\nmodels:\n' });
    expect(load().settings.web_configuration.port).toBe(80);
  });

  test('an empty file and a file of comments are valid', () => {
    expect(project({ 'config.yml': '', 'profiles.yml': '# none\n' }).load().settings.profile).toBeUndefined();
  });

  test('a list replaces the list of a lower layer', () => {
    const { load } = project({
      'config.yml': 'web_configuration: {cors_origins: ["https://a", "https://b"]}',
      'profiles.yml': '- name: dev\n  web_configuration: {cors_origins: ["https://c"]}',
    });
    expect(load().settings.web_configuration.cors_origins).toEqual(['https://c']);
  });
});

describe('the locations of files', () => {
  test('SERVICE_PROJECT_PATH names config.yml, and .env is read beside it', () => {
    const { cwd, load } = project({
      'deep/mine.yml': 'web_configuration: {port: 1}',
      'deep/.env': 'SERVICE_MEMORY__WINDOW_TOKENS=9',
      '.env': 'SERVICE_MEMORY__WINDOW_TOKENS=1',
    });
    const { settings, sources, files, projectFolder } = load({
      env: { SERVICE_PROJECT_PATH: 'deep/mine.yml' },
    });
    expect(settings.web_configuration.port).toBe(1);
    expect(sources[PORT]).toBe('mine.yml');
    expect(settings.memory.window_tokens).toBe(9);
    expect(projectFolder).toBe(join(cwd, 'deep'));
    expect(files).toEqual({
      config: join(cwd, 'deep/mine.yml'),
      profiles: null,
      env: join(cwd, 'deep/.env'),
    });
  });

  test('a .env in the working directory may set the paths of config.yml and profiles.yml', () => {
    const { load } = project({
      '.env': 'SERVICE_PROJECT_PATH=config.yml\nSERVICE_PROFILE_PATH=deep/p.yml',
      'config.yml': 'memory: {window_tokens: 5}',
      'deep/p.yml': '- name: dev\n  memory: {window_messages: 6}',
    });
    const { settings, sources } = load();
    expect(settings.memory).toMatchObject({ window_tokens: 5, window_messages: 6 });
    expect(sources['memory.window_messages']).toBe('profile dev in p.yml');
  });

  test('--config and --profiles take precedence over the variables', () => {
    const { load } = project({ 'a.yml': 'profile: two', 'b.yml': '- name: one\n- name: two' });
    const env = { SERVICE_PROJECT_PATH: 'none.yml', SERVICE_PROFILE_PATH: 'none.yml' };
    expect(load({ env, flags: { config: 'a.yml', profiles: 'b.yml' } }).settings.profile).toBe('two');
  });

  test.each([
    [
      'SERVICE_PROJECT_PATH',
      { env: { SERVICE_PROJECT_PATH: 'none.yml' } },
      'environment SERVICE_PROJECT_PATH',
    ],
    [
      'SERVICE_PROFILE_PATH',
      { env: { SERVICE_PROFILE_PATH: 'none.yml' } },
      'environment SERVICE_PROFILE_PATH',
    ],
    ['--config', { flags: { config: 'none.yml' } }, 'flag --config'],
    ['--profiles', { flags: { profiles: 'none.yml' } }, 'flag --profiles'],
  ])('a file that %s names must exist', (field, around, source) => {
    expect(project().refusal(around)).toBe(
      `Validation error in field '${field}': file does not exist (${source})`,
    );
  });

  test('a folder in place of a file is rejected, at a given path or the default one', () => {
    const { cwd, refusal } = project();
    expect(refusal({ env: { SERVICE_PROJECT_PATH: '.' } })).toContain(
      "'SERVICE_PROJECT_PATH': file does not exist",
    );
    expect(project({ x: '' }).refusal({ flags: { config: 'x/c.yml' } })).toContain(
      'Validation error in field',
    );
    mkdirSync(join(cwd, 'config.yml'));
    expect(refusal()).toBe("Validation error in field 'config.yml': the file cannot be read (EISDIR)");
  });

  test('an empty variable counts as unset', () => {
    const { load } = project({ 'config.yml': 'web_configuration: {port: 1}' });
    const env = { SERVICE_PROJECT_PATH: '', WEB_PORT: '', SERVICE_PROFILE: '', LLM_PROVIDER_API_KEY: '' };
    const { settings } = load({ env });
    expect(settings.web_configuration.port).toBe(1);
    expect(settings.models).toEqual([]);
  });
});

describe('a broken file', () => {
  test('is reported with the line of the YAML error', () => {
    expect(project({ 'config.yml': 'memory:\n  window_tokens: 5\nlimits: [1\n' }).refusal()).toBe(
      "Validation error in field 'config.yml': not valid YAML at line 3 (Unexpected token)",
    );
  });

  test('is rejected if its top level is not a mapping', () => {
    expect(project({ 'config.yml': '- a\n' }).refusal()).toBe(
      "Validation error in field 'config.yml': expected a mapping of blocks at the top of the file",
    );
    expect(project({ 'profiles.yml': 'name: dev\n' }).refusal()).toBe(
      "Validation error in field 'profiles.yml': expected a list of profiles, each with a name",
    );
    expect(project({ 'profiles.yml': '- dev\n' }).refusal()).toBe(
      "Validation error in field 'profiles[0]': expected a mapping of blocks (profiles.yml)",
    );
    expect(project({ 'profiles.yml': '- memory: {}\n' }).refusal()).toBe(
      "Validation error in field 'profiles[0].name': expected a non-empty text (profiles.yml)",
    );
  });

  test('is rejected if an alias is inside its own anchor', () => {
    expect(project({ 'config.yml': 'memory: &m {window_tokens: *m}' }).refusal()).toBe(
      "Validation error in field 'config.yml': must be nested at most 64 levels deep",
    );
  });

  test('cannot set keys that reach the prototype', () => {
    const { refusal } = project({ 'config.yml': '__proto__: {a: 1}\nworkflows: {a: {constructor: {b: 2}}}' });
    expect(refusal()).toBe(
      "Validation error in field '__proto__': this key is not allowed (config.yml)\n" +
        "Validation error in field 'workflows.a.constructor': this key is not allowed (config.yml)",
    );
    const env = { SERVICE_LIMITS: '{"__proto__": {"run_seconds": 1}}' };
    expect(project().refusal({ env })).toBe(
      "Validation error in field 'limits.__proto__': this key is not allowed (environment SERVICE_LIMITS)",
    );
  });
});

describe('profiles', () => {
  const profiles = {
    'profiles.yml': '- name: dev\n  memory: {window_tokens: 1}\n- name: prod\n  limits: {recursion: 3}\n',
  };

  test('the first one is used unless another is selected', () => {
    const { settings, sources } = project(profiles).load();
    expect(settings.profile).toBe('dev');
    expect(settings.memory.window_tokens).toBe(1);
    expect(settings.limits.recursion).toBe(25);
    expect(sources.profile).toBe('profile dev in profiles.yml');
  });

  test('fields that no file sets have their defaults', () => {
    const setPaths = ({ sources }: LoadedSettings) =>
      Object.entries(sources).flatMap(([path, source]) => (source === 'default' ? [] : [path]));
    const { load } = project({ ...profiles, 'config.yml': 'limits: {recursion: 4}' });
    expect(setPaths(load()).sort()).toEqual(['limits.recursion', 'memory.window_tokens', 'profile']);
    const empty = project({ 'config.yml': 'models: []' }).load();
    expect(empty.sources.models).toBe('config.yml');
  });

  test('config.yml selects one, SERVICE_PROFILE overrides it, and --profile overrides both', () => {
    const { load } = project({ ...profiles, 'config.yml': 'profile: prod' });
    expect(load().settings.limits.recursion).toBe(3);
    expect(load({ env: { SERVICE_PROFILE: 'dev' } }).settings.profile).toBe('dev');
    const both = load({ env: { SERVICE_PROFILE: 'dev' }, flags: { profile: 'prod' } });
    expect(both.settings.profile).toBe('prod');
    expect(both.sources.profile).toBe('flag --profile');
  });

  test('an unknown name is rejected with the existing names', () => {
    const { refusal } = project(profiles);
    expect(refusal({ env: { SERVICE_PROFILE: 'prd' } })).toBe(
      "Validation error in field 'profile': profile not found; profiles.yml has dev, prod (environment SERVICE_PROFILE)",
    );
    expect(project({ 'config.yml': 'profile: dev' }).refusal()).toBe(
      "Validation error in field 'profile': profile not found; profiles.yml does not exist (config.yml)",
    );
  });

  test('only the variables of the selected profile are replaced', () => {
    const text = `- name: dev\n- name: prod\n  cloud_search: {api_key: "\${KEY}"}`;
    const { load, refusal } = project({ 'profiles.yml': text });
    expect(load().settings.profile).toBe('dev');
    expect(refusal({ env: { SERVICE_PROFILE: 'prod' } })).toBe(
      "Validation error in field 'cloud_search.api_key': environment variable KEY is not set, and no default is given (profile prod in profiles.yml)",
    );
  });
});

test('a relative working directory is made absolute', () => {
  const { cwd } = project();
  const loaded = loadSettings({ cwd: relative(process.cwd(), cwd), env: {}, flags: {} });
  expect(loaded.settings.prompts.path).toBe(join(cwd, '.files/prompts'));
});

test('the config.yml of the checkout is valid alone and listens on 8080', () => {
  const { load } = project({
    'config.yml': readFileSync(join(import.meta.dir, '../../../config.yml'), 'utf8'),
  });
  const { sources } = load();
  expect(Object.entries(sources).filter(([, source]) => source !== 'default')).toEqual([
    [PORT, 'config.yml'],
  ]);
  expect(load().settings.web_configuration.port).toBe(8080);
});
